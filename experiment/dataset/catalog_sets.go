package dataset

import (
	"fmt"
	"slices"
)

const (
	ccBy      = "CC BY 4.0"
	notStated = "not stated"
	torgo     = "regression collection of Luis Torgo, University of Porto"
)

func fetched(name string, id int, o Options) File {
	o.Format = formatARFF
	return File{Path: fmt.Sprintf("%s/openml-%d.arff", name, id), Options: o, Fetched: true}
}

func embeddedSets() []Entry {
	return []Entry{
		{
			Name: "breast_cancer", Task: Classification, Rows: 569, Features: 30, Embedded: true,
			Doc: "Malignant is -1 (212 rows), benign +1 (357).",
			UCI: "Breast Cancer Wisconsin (Diagnostic)", Licence: ccBy,
			Source: "Wolberg, Street and Mangasarian, by way of scikit-learn (BSD-3-Clause)",
		},
		{
			Name: "diabetes", Task: Regression, Rows: 442, Features: 10, Embedded: true,
			Doc:    "Raw values; the target is the progression of the disease after a year, 25 to 346.",
			Source: "Efron, Hastie, Johnstone and Tibshirani 2004, by way of scikit-learn", Licence: "BSD-3-Clause (package)",
		},
		{
			Name: "digits", Task: Classification, Rows: 1797, Features: 64, Embedded: true,
			Doc: "Digits 0 to 4 are -1, 5 to 9 are +1.",
			UCI: "Optical Recognition of Handwritten Digits, test part", Licence: ccBy,
			Source: "Alpaydin and Kaynak, by way of scikit-learn (BSD-3-Clause)",
		},
	}
}

func classificationSets() []Entry {
	firstRows := Options{Task: Classification, Target: NoTarget, Classes: Classes{NegativeRows: 500}}
	local, openML := firstRows, firstRows
	local.Format = formatSpace
	openML.Drop = []string{"class"}
	digits := Classes{Negative: []string{"0", "1", "2", "3", "4"}, Positive: []string{"5", "6", "7", "8", "9"}}
	gamma := Classes{Negative: []string{"h"}, Positive: []string{"g"}}
	no := false
	return []Entry{
		{
			Name: "mfeat-pixel", Task: Classification, Rows: 2000, Features: 240,
			Doc: "The first 500 rows are -1 and the rest +1, as in the paper's scripts: digits 0 and 1 and half " +
				"of the 2s against the others, since row i (from 0) shows digit i/200. The column with the digit is left out.",
			Files: []File{
				{Path: "mfeat-pixel/mfeat-pix.txt", Options: local, SHA256: "18aba069947f58f64d4cd7095593149bad1e3b8a6288d9bb2e8461d79f5f2123"},
				{Path: "mfeat-pixel/mfeat-pixel.arff", Options: openML, SHA256: "ace5f757d512ba00bc81bb408952bcddbc20aafdcfc7484e47322040723db37c"},
				fetched("mfeat-pixel", 20, openML),
			},
			OpenML: 20, UCI: "Multiple Features (mfeat-pix)", Source: "Duin", Licence: ccBy,
		},
		{
			Name: "pendigits", Task: Classification, Rows: 3498, Features: 16,
			Doc: "Digits 0 to 4 are -1, 5 to 9 are +1. The paper takes the UCI test part only; OpenML 32 has both " +
				"parts in one (10992 rows), so that the download is UCI's.",
			Files: []File{{
				Path: "pendigits/pendigits.tes", SHA256: "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
				Options: Options{Format: formatCSV, Header: &no, Task: Classification, Target: "16", Classes: digits}, Fetched: true,
			}},
			URL: "https://archive.ics.uci.edu/ml/machine-learning-databases/pendigits/pendigits.tes",
			UCI: "Pen-Based Recognition of Handwritten Digits, test part", Source: "Alpaydin and Alimoglu", Licence: ccBy,
		},
		{
			Name: "hiva_agnostic", Task: Classification, Rows: 4229, Features: 1617,
			Doc: "Binary features of molecules; +1 is active against HIV.",
			Files: []File{
				{Path: "hiva_agnostic/hiva_agnostic.arff", Options: Options{Format: formatARFF, Task: Classification, Target: "label"}},
				fetched("hiva_agnostic", 1039, Options{Task: Classification, Target: "label"}),
			},
			OpenML: 1039, Source: "Agnostic Learning versus Prior Knowledge challenge, 2007", Licence: notStated,
		},
		{
			Name: "MagicTelescope", Task: Classification, Rows: 19020, Features: 10,
			Doc: "Gamma (12332 rows) is +1, hadron (6688) -1. The column ID of OpenML's file is left out.",
			Files: []File{
				{
					Path: "MagicTelescope/magic04.data", SHA256: "e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a",
					Options: Options{Format: formatCSV, Header: &no, Task: Classification, Target: "10", Classes: gamma},
				},
				fetched("MagicTelescope", 1120, Options{Task: Classification, Target: "class:", Drop: []string{"ID"}, Classes: gamma}),
			},
			OpenML: 1120, UCI: "MAGIC Gamma Telescope", Source: "Bock and others 2004", Licence: ccBy,
		},
		{
			Name: "nomao", Task: Classification, Rows: 34465, Features: 118,
			Doc: "Class 1 (9844 rows) is -1, class 2 (24621) +1. Nominal features are taken by their codes 1 to 3.",
			Files: []File{
				{
					Path: "nomao/nomao.arff", SHA256: "94b4e6229e434d04fb61f081e547c95ec0bfa99e9ea9e880acd5276d13b972e6",
					Options: Options{Format: formatARFF, Task: Classification, Target: "Class"},
				},
				fetched("nomao", 1486, Options{Task: Classification, Target: "Class"}),
			},
			OpenML: 1486, UCI: "Nomao", Source: "Nomao Labs, Candillier and Lemaire 2012", Licence: ccBy,
		},
	}
}

// scriptsSets are read as in Input_Data.py of github.com/diyang-lee/GAGA.
func scriptsSets() []Entry {
	sets := map[string]Entry{}
	for _, e := range slices.Concat(classificationSets(), regressionSets()) {
		sets[e.Name] = e
	}
	read := func(of, name, doc string, features int, change func(*Options)) Entry {
		e := sets[of]
		e.Reading, e.Name, e.Aliases, e.Doc, e.Features = of, name, nil, doc, features
		for i := range e.Files {
			change(&e.Files[i].Options)
		}
		return e
	}
	return []Entry{
		read("music", "music-column-100", "music with another target: column 100 (from 0), an audio feature. "+
			"Latitude and longitude are features (regression_data10).", 117,
			func(o *Options) { o.Target, o.Drop = "100", nil }),
		read("ailerons", "ailerons-climbRate", "ailerons with another target: its first column, climbRate. The goal is a feature (regression_data17).", 40,
			func(o *Options) { o.Target = "0" }),
		read("MagicTelescope", "MagicTelescope-ID", "MagicTelescope with the column ID of OpenML's file, which numbers the rows, as a feature; "+
			"the rows are sorted by class (classification_data3).", 11,
			func(o *Options) { o.Drop, o.Numbered = nil, o.Format != formatARFF }),
	}
}

func regressionSets() []Entry {
	no := false
	last := Options{Format: formatARFF, Task: Regression, Target: "-1"}
	return []Entry{
		{
			Name: "music", Task: Regression, Rows: 1059, Features: 116,
			Doc: "Geographical origin of music. The target is the latitude, the longitude is left out. The paper's " +
				"117 features are these and one more column: OpenML's default target is an audio feature (V100), " +
				"which the coordinates are no part of.",
			Files: []File{
				{
					Path: "music/default_plus_chromatic_features_1059_tracks.txt", SHA256: "2751999147700350ded794880f62c9103dae0247273f2f3aed9f7bf7202236a7",
					Options: Options{Format: formatCSV, Header: &no, Task: Regression, Target: "116", Drop: []string{"117"}},
				},
				fetched("music", 4544, Options{Task: Regression, Target: "116", Drop: []string{"117"}}),
			},
			OpenML: 4544, UCI: "Geographical Original of Music", Source: "Zhou, Claire and King 2014", Licence: ccBy,
		},
		{
			Name: "cadata", Aliases: []string{"houses"}, Task: Regression, Rows: 20640, Features: 8,
			Doc: "Median house values in California, 1990. The paper has it twice, as cadata and as houses. OpenML's " +
				"columns stand in another order, so that results from its file are those of another data digest.",
			Files: []File{
				{
					Path: "cadata/cal_housing.data", SHA256: "d3d8a1a722ae78f91134862727d27a70b1415e7d512a89140406248687f4b902",
					Options: Options{Format: formatCSV, Header: &no, Task: Regression, Target: "8"},
				},
				fetched("cadata", 537, Options{Task: Regression, Target: "median_house_value"}),
			},
			OpenML: 537, Source: "StatLib houses, Pace and Barry 1997", Licence: notStated,
		},
		{
			Name: "delta_elevators", Task: Regression, Rows: 9517, Features: 6,
			Doc: "Control of an F16: change of the elevators, -0.014 to 0.013, 26 distinct values.",
			Files: []File{
				{Path: "delta_elevators/delta_elevators.arff", Options: last, SHA256: "2759f67da14dc5853bcf0ab16651c79957b7ea4299a44fd99237a040153e1bcf"},
				fetched("delta_elevators", 198, last),
			},
			OpenML: 198, Source: torgo, Licence: notStated,
		},
		{
			Name: "house_8L", Task: Regression, Rows: 22784, Features: 8,
			Doc: "Median house price of a region from census figures, 0 to 500001.",
			Files: []File{
				{Path: "house_8L/house8L.arff", Options: last, SHA256: "7fdd550aee31efd8318eb4a5927a0daa3e0e89c09ff58d8735c96e079439d6cc"},
				fetched("house_8L", 218, last),
			},
			OpenML: 218, Source: "DELVE, University of Toronto, from the US census of 1990", Licence: notStated,
		},
		{
			Name: "ailerons", Task: Regression, Rows: 13750, Features: 40,
			Doc: "Control of an F16: the ailerons, -0.0036 to 0, 35 distinct values.",
			Files: []File{
				{Path: "ailerons/ailerons.arff", Options: last, SHA256: "4fcf53bdec2ba209395dd1fe97eb0327c07468c73bfed312a317c9ea6c08061f"},
				fetched("ailerons", 296, last),
			},
			OpenML: 296, Source: torgo, Licence: notStated,
		},
		{
			Name: "elevators", Aliases: []string{"elevator"}, Task: Regression, Rows: 16599, Features: 18,
			Doc: "Control of an F16: the elevators, 0.012 to 0.078, 61 distinct values.",
			Files: []File{
				{Path: "elevators/elevators.arff", Options: last, SHA256: "fd11efdb0e3bc42a3eae7e267d52d736637cc4aa2c274712d0309ea15a211afa"},
				fetched("elevators", 216, last),
			},
			OpenML: 216, Source: torgo, Licence: notStated,
		},
	}
}
