package rehline

type descent struct{}

func (d *descent) pays(s *Solver) bool { return false }

func (s *Solver) descend() (bool, error) { return false, nil }
