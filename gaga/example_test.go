package gaga_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
)

// column returns the problem of a Lasso with one feature: y is about 2x, but
// for an outlier.
func column() *gaga.Problem {
	x := blas64.General{Rows: 5, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4, 5}}
	y := []float64{2.1, 3.9, 6.0, 8.2, 3.0}
	p := gaga.Lasso(x, y, nil, 0.01)
	p.Regularizer = gaga.Linear{}
	return p
}

func ExampleTrack() {
	path, err := gaga.Track(context.Background(), column(), gaga.Options{Age: gaga.Range{Min: 2, Max: 200}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(path.Status())
	for _, e := range path.Events() {
		fmt.Printf("age %.3f: %s, %s\n", e.Age, e.Kind, e.Detail)
	}
	for _, age := range []float64{5, 100} {
		theta, err := path.At(age)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("age %g: coefficient %.3f\n", age, theta[0])
	}
	// Output:
	// complete
	// age 50.528: jump, sample 4: discarded to easy
	// age 5: coefficient 2.022
	// age 100: coefficient 1.424
}

// The knots are the data of a plot; at a jump two of them share an age, up to
// a relative 1e-9.
func ExamplePath_Knots() {
	path, err := gaga.Track(context.Background(), column(), gaga.Options{Age: gaga.Range{Min: 20, Max: 60}, Grid: []float64{30, 50}})
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range path.Knots() {
		fmt.Printf("%.2f %s %.3f\n", k.Age, k.Kind, k.Theta[0])
	}
	// Output:
	// 20.00 start 2.022
	// 30.00 grid 2.022
	// 50.00 grid 2.022
	// 50.53 jump 2.022
	// 50.53 start 1.562
	// 60.00 end 1.493
}

// cosine is a self-paced regularizer of one's own: the weight falls from 1 to 0
// below the age like a half wave.
type cosine struct{}

func (cosine) Name() string { return "cosine" }

func (cosine) Zones() []gaga.Zone { return []gaga.Zone{{Kind: gaga.Easy}, {Kind: gaga.Discarded}} }

func (cosine) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (cosine) Weight(zone int, loss, age float64) (v, dloss, dage float64) {
	if zone == 1 {
		return 0, 0, 0
	}
	wave := math.Pi / 2 / age
	sin, cos := math.Sincos(wave * loss)
	return cos, -wave * sin, wave * loss / age * sin
}

func (cosine) Integral(loss, age float64) float64 {
	return 2 * age / math.Pi * math.Sin(math.Pi/2*math.Min(1, loss/age))
}

func ExampleRegularizer() {
	p := column()
	p.Regularizer = cosine{}
	path, err := gaga.Track(context.Background(), p, gaga.Options{Age: gaga.Range{Min: 2, Max: 200}})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range path.Events() {
		fmt.Printf("age %.3f: %s, %s\n", e.Age, e.Kind, e.Detail)
	}
	// Output:
	// age 50.528: jump, sample 4: discarded to easy
}

// pseudoHuber is a loss of one's own: a parabola near 0 that goes over into
// straight lines of slope delta.
type pseudoHuber struct{ delta float64 }

func (pseudoHuber) Name() string { return "pseudo-Huber" }
func (pseudoHuber) Kinked() bool { return false }

func (h pseudoHuber) Eval(u, y float64) (loss, slope, curvature float64) {
	z := (u - y) / h.delta
	root := math.Sqrt(1 + z*z)
	return h.delta * h.delta * (root - 1), h.delta * z / root, 1 / (root * root * root)
}

func ExampleLoss() {
	p := column()
	p.Loss = pseudoHuber{delta: 0.5}
	path, err := gaga.Track(context.Background(), p, gaga.Options{Age: gaga.Range{Min: 0.1, Max: 10}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(path.Status())
	for _, e := range path.Events() {
		fmt.Printf("age %.3f: %s, %s\n", e.Age, e.Kind, e.Detail)
	}
	for _, age := range []float64{1, 10} {
		theta, err := path.At(age)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("age %g: coefficient %.3f\n", age, theta[0])
	}
	// Output:
	// complete
	// age 3.309: turning, sample 4: discarded to easy
	// age 1: coefficient 2.020
	// age 10: coefficient 1.950
}

// A support vector machine with a kernel: the last sample has a wrong label and
// is discarded up to age 1.96. Pinned samples are at the margin, satisfied ones
// beyond it. The coefficients are the multipliers α; those of the support
// vectors are not 0.
func ExampleSVM() {
	x := blas64.General{Rows: 8, Cols: 1, Stride: 1, Data: []float64{-4, -3, -2, -1, 1, 2, 3, -2.5}}
	y := []float64{-1, -1, -1, -1, 1, 1, 1, 1}
	p := gaga.SVM(x, y, nil, 1, gaga.RBF{Gamma: 0.5})
	p.Regularizer = gaga.Linear{}
	path, err := gaga.Track(context.Background(), p, gaga.Options{Age: gaga.Range{Min: 1, Max: 4}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(path.Status())
	for _, e := range path.Events() {
		fmt.Printf("age %.3f: %s, %s\n", e.Age, e.Kind, e.Detail)
	}
	for _, age := range []float64{1, 4} {
		theta, err := path.At(age)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("age %g:", age)
		for i, alpha := range theta[:x.Rows] {
			if alpha > 0 {
				fmt.Printf(" α%d = %.3f", i, alpha)
			}
		}
		fmt.Println()
	}
	// Output:
	// complete
	// age 1.414: turning, sample 6: pinned to easy
	// age 1.960: turning, sample 7: discarded to easy
	// age 2.550: turning, sample 5: pinned to satisfied
	// age 2.847: turning, sample 6: easy to pinned
	// age 1: α0 = 0.628 α1 = 0.275 α2 = 0.084 α3 = 0.802 α4 = 0.574 α5 = 0.275 α6 = 0.940
	// age 4: α0 = 0.601 α1 = 0.645 α2 = 0.338 α3 = 0.880 α4 = 0.965 α6 = 0.988 α7 = 0.512
}

func ExampleAlternation() {
	a, err := gaga.NewAlternation(column())
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if err := a.FitAll(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("all samples: %.3f\n", a.Theta()[0])
	if _, err := a.Converge(ctx, 5, 0, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("age 5: %.3f\n", a.Theta()[0])
	// Output:
	// all samples: 1.375
	// age 5: 2.022
}

// Both paths leave the outlier out below age 45.7 and keep it above age 50.5. Between these ages
// they differ: the path down still has it.
func ExampleDirection() {
	for _, direction := range []gaga.Direction{gaga.Up, gaga.Down} {
		path, err := gaga.Track(context.Background(), column(), gaga.Options{Age: gaga.Range{Min: 2, Max: 200}, Direction: direction})
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range path.Events() {
			fmt.Printf("%s, age %.3f: %s, %s\n", path.Direction(), e.Age, e.Kind, e.Detail)
		}
		theta, err := path.At(48)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s, age 48: coefficient %.3f\n", path.Direction(), theta[0])
	}
	// Output:
	// up, age 50.528: jump, sample 4: discarded to easy
	// up, age 48: coefficient 2.022
	// down, age 45.720: jump, the branch turns back
	// down, age 48: coefficient 1.605
}
