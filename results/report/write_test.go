package report

import (
	"reflect"
	"testing"
)

// TestEveryOptionIsRecorded wants a report that was made with another option to be no longer fresh.
func TestEveryOptionIsRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, err := (&Options{}).made(dir)
	if err != nil {
		t.Fatal(err)
	}
	var fields func(of reflect.Value, name string, options *Options)
	fields = func(of reflect.Value, name string, options *Options) {
		for i := range of.NumField() {
			field, name := of.Field(i), name+of.Type().Field(i).Name
			switch {
			case name == "Formats" || name == "Progress": // formats are compared one by one
				continue
			case field.Kind() == reflect.Struct:
				fields(field, name+".", options)
				continue
			case field.Kind() == reflect.String:
				field.SetString("other")
			case field.Kind() == reflect.Bool:
				field.SetBool(true)
			case field.CanInt():
				field.SetInt(7)
			case field.CanFloat():
				field.SetFloat(0.7)
			default:
				t.Fatalf("option %s has the type %v, which this test does not know", name, field.Type())
			}
			made, err := options.made(dir)
			if err != nil {
				t.Fatal(err)
			}
			if made.MadeOf == plain.MadeOf {
				t.Errorf("option %s is not in results.MadeOf: a report that was made with another counts as fresh", name)
			}
			field.SetZero()
		}
	}
	var options Options
	fields(reflect.ValueOf(&options).Elem(), "", &options)
}
