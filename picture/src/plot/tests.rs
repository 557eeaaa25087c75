#![allow(clippy::unwrap_used)]

use super::*;

fn line(label: &str, points: &[(f64, f64)]) -> Line {
    Line {
        label: label.to_owned(),
        points: points.to_vec(),
    }
}

fn chart(title: &str, log_y: bool, points: &[(f64, f64)]) -> Chart {
    Chart {
        title: title.to_owned(),
        x_label: "time [s]".to_owned(),
        y_label: "energy [J]".to_owned(),
        log_y,
        lines: vec![line("kinetic", points)],
        ..Chart::default()
    }
}

/// Width and height as a PNG file states them.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    let reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    (reader.info().width, reader.info().height)
}

#[test]
fn words_of_the_chart_are_in_the_file() {
    let mut with_points = chart("Energy < 3", false, &[(0.0, 1.0), (1.0, 2.0)]);
    with_points.scatter = vec![line("measured", &[(0.5, 1.5)])];
    let text = svg(&[with_points]);
    for word in [
        "Energy &lt; 3",
        "time [s]",
        "energy [J]",
        "kinetic",
        "measured",
    ] {
        assert!(text.contains(word), "{word} is missing");
    }
    assert!(!text.contains("no data"));
}

#[test]
fn panels_stack_downwards() {
    let one = chart("one", false, &[(0.0, 1.0), (1.0, 2.0)]);
    let (width, height) = png_size(&png(std::slice::from_ref(&one)).unwrap());
    let three = [
        one.clone(),
        chart("two", true, &[(0.0, 1.0), (1.0, 1e-20)]),
        one,
    ];
    let (width_3, height_3) = png_size(&png(&three).unwrap());
    assert_eq!(width, width_3);
    let ratio = f64::from(height_3) / f64::from(height);
    assert!(
        (ratio - 3.0).abs() < 0.15,
        "three panels are {ratio} times as high as one"
    ); // 2.97
    let text = svg(&three);
    assert!(text.find("one").unwrap() < text.find("two").unwrap());
}

#[test]
fn a_logarithmic_axis_goes_below_what_the_library_can() {
    let text = svg(&[chart("decay", true, &[(0.0, 1e-3), (1.0, 1e-24)])]);
    // a tick every four decades
    for tick in ["10⁻⁴", "10⁻⁸", "10⁻²⁴"] {
        assert!(text.contains(tick), "{tick} is missing");
    }
}

#[test]
fn what_cannot_be_drawn_is_left_out() {
    let odd = [
        (0.0, f64::NAN),
        (f64::INFINITY, 1.0),
        (1.0, f64::NEG_INFINITY),
        (2.0, 1e308),
        (3.0, 0.0),
        (4.0, -1.0),
        (5.0, 2.0),
    ];
    assert_eq!(
        drawable(&odd, &chart("", false, &[])),
        [(3.0, 0.0), (4.0, -1.0), (5.0, 2.0)]
    );
    let logarithmic = drawable(&odd, &chart("", true, &[]));
    assert_eq!(logarithmic.len(), 1);
    assert!((logarithmic[0].1 - 2.0f64.log10()).abs() < 1e-15);
}

#[test]
fn empty_and_absurd_charts_are_drawn_without_complaint() {
    let tables: [&[(f64, f64)]; 9] = [
        &[],
        &[(f64::NAN, f64::NAN)],
        &[(0.0, 0.0)],
        &[(1.0, 5.0), (1.0, 5.0)],
        &[(0.0, 1e299), (1.0, -1e299)],
        &[(0.0, 1e-320), (1e-320, 2e-320)],
        &[(1e18, 1.0), (1e18 + 256.0, 1.0 + 1e-15)],
        &[(-1e299, 3.0), (1e299, 3.0)],
        &[(0.0, -4.0), (1.0, -2.0)],
    ];
    for (i, table) in tables.iter().enumerate() {
        for log_y in [false, true] {
            let charts = [chart("odd", log_y, table)];
            let text = svg(&charts);
            assert!(
                text.ends_with("</svg>\n") || text.ends_with("</svg>"),
                "table {i}"
            );
            assert!(
                !text.contains("NaN") && !text.contains("inf"),
                "table {i}, log {log_y}"
            );
            assert!(png_size(&png(&charts).unwrap()).0 > 0);
        }
    }
    assert!(svg(&[]).contains("no data"));
    assert!(svg(&[chart("", false, &[(0.0, f64::NAN)])]).contains("no data"));
    // nothing positive on a logarithmic axis
    assert!(svg(&[chart("", true, &[(0.0, 0.0), (1.0, -1.0)])]).contains("no data"));
}

#[test]
fn thinning_keeps_the_extremes() {
    let mut points: Vec<_> = (0..1_000_000).map(|i| (f64::from(i), 0.0)).collect();
    points[123_457].1 = 7.0;
    points[765_433].1 = -7.0;
    let kept = thinned(points);
    assert!(kept.len() <= MOST_POINTS + 2, "{} points", kept.len()); // measured: 2002
    assert!(kept.contains(&(123_457.0, 7.0)) && kept.contains(&(765_433.0, -7.0)));
    assert!(kept.windows(2).all(|w| w[0].0 < w[1].0));
}

#[test]
fn the_ending_of_the_name_decides() {
    let directory = tempfile::tempdir().unwrap();
    let charts = [chart("one", false, &[(0.0, 1.0), (1.0, 2.0)])];
    write(&charts, directory.path().join("a.SVG")).unwrap();
    write(&charts, directory.path().join("a.png")).unwrap();
    let text = std::fs::read_to_string(directory.path().join("a.SVG")).unwrap();
    assert!(text.starts_with("<svg"));
    png_size(&std::fs::read(directory.path().join("a.png")).unwrap());

    let message = write(&charts, "energy.pdf").unwrap_err().to_string();
    assert_eq!(
        message,
        "`energy.pdf`: the ending is `.pdf`; wanted is .svg or .png"
    );
    let message = write(&charts, "energy").unwrap_err().to_string();
    assert_eq!(
        message,
        "`energy`: the ending is missing; wanted is .svg or .png"
    );
    let message = write(&charts, directory.path().join("no/such/a.svg"))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("a.svg") && message.contains("writable"),
        "{message}"
    );
}

#[test]
fn the_same_charts_give_the_same_bytes() {
    let charts = [chart("one", true, &[(0.0, 1.0), (1.0, 2.0)])];
    assert_eq!(svg(&charts), svg(&charts));
    assert_eq!(png(&charts).unwrap(), png(&charts).unwrap());
}

#[test]
fn cells_of_a_matrix_are_one_path_between_its_corners() {
    let cells = Cells {
        size: 300,
        side: 3,
        runs: vec![(0, 0, 2), (2, 1, 3)],
    };
    let matrix = Chart {
        title: "A".into(),
        cells: Some(cells),
        ..Chart::default()
    };
    let text = svg_grid(&[matrix.clone(), Chart::default(), matrix.clone()], 2);
    let paths: Vec<&str> = text.matches("Z\"").collect();
    assert_eq!(paths.len(), 2, "{text}");
    assert!(text.contains(">300<") && text.contains("no data"));
    assert_eq!(
        text,
        svg_grid(&[matrix.clone(), Chart::default(), matrix.clone()], 2)
    );
    assert!(png(&[matrix]).is_ok());
}

#[test]
fn a_logarithmic_x_axis_leaves_zero_out_and_names_powers() {
    let chart = Chart {
        log_x: true,
        log_y: true,
        lines: vec![Line {
            label: "falls".into(),
            points: vec![(0.0, 1.0), (1.0, 1.0), (100.0, 1e-3), (10_000.0, 1e-6)],
        }],
        ..Chart::default()
    };
    let text = svg(&[chart]);
    assert!(text.contains("10⁴") && text.contains("10⁻⁶"), "{text}");
}
