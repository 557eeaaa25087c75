//! Triangle meshes in OBJ files: closed surfaces in, frames out ([`ObjSink`]).

mod sequence;

pub use sequence::ObjSink;

use std::fmt::Write;
use std::io::Cursor;
use std::path::Path;

use drystone_base::Vec3;
use drystone_geometry::mesh::TriMesh;
use drystone_world::{Mesh, Pattern, Scene, SceneError, Shape, Subject, Surface};
use tobj::{LoadError, LoadOptions};

use crate::FileError;
use crate::toml::read_bytes;

/// Longest OBJ file \[bytes\].
pub const LONGEST_FILE: u64 = 512 << 20;

/// Reads the closed surface in the OBJ file at `path`: all its objects together, polygons as
/// triangles, counter-clockwise seen from outside.
pub fn read_obj(path: impl AsRef<Path>) -> Result<TriMesh, FileError> {
    let path = path.as_ref();
    parse_obj(&read_bytes(path, LONGEST_FILE)?, path)
}

/// The closed surface in the OBJ text `bytes`, which errors call `name`.
pub fn parse_obj(bytes: &[u8], name: impl AsRef<Path>) -> Result<TriMesh, FileError> {
    let name = name.as_ref();
    let (vertices, triangles) = parse_surface(bytes, name)?;
    TriMesh::closed(vertices, triangles).map_err(|e| FileError::new(name, e.to_string()))
}

/// Vertices \[m\] and triangles of the surface in the OBJ text `bytes`, open or closed, which errors
/// call `name`. Vertices are in the order in which faces name them first.
pub fn parse_surface(
    bytes: &[u8],
    name: impl AsRef<Path>,
) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), FileError> {
    let name = name.as_ref();
    let mut cursor = Cursor::new(bytes);
    let options = LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..LoadOptions::default()
    };
    // materials do not matter here
    let (models, _) = tobj::load_obj_buf(&mut cursor, &options, |_| Err(LoadError::GenericFailure))
        .map_err(|e| bad_line(bytes, cursor.position() as usize, name, &e))?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for model in &models {
        let first = vertices.len() as u32;
        vertices.extend(
            model
                .mesh
                .positions
                .as_chunks::<3>()
                .0
                .iter()
                .map(|&p| Vec3::from(p)),
        );
        let faces = model.mesh.indices.as_chunks::<3>().0;
        triangles.extend(faces.iter().map(|t| t.map(|i| i.saturating_add(first))));
    }
    if triangles.is_empty() {
        let message = format!("{} vertices, but no face; wanted a surface", vertices.len());
        return Err(FileError::new(name, message));
    }
    Ok((vertices, triangles))
}

/// The line the reader stopped at, for errors of a line.
fn bad_line(bytes: &[u8], stopped: usize, name: &Path, error: &LoadError) -> FileError {
    let found = FileError::new(name, format!("{error}; wanted an OBJ file"));
    let of_a_line = matches!(
        error,
        LoadError::ReadError
            | LoadError::UnrecognizedCharacter
            | LoadError::PositionParseError
            | LoadError::NormalParseError
            | LoadError::TexcoordParseError
            | LoadError::FaceParseError
            | LoadError::ColorParseError
    );
    let text = String::from_utf8_lossy(bytes);
    if !of_a_line || text.len() != bytes.len() {
        return found;
    }
    let end = stopped.min(text.len());
    let line = text[..end].trim_end_matches(['\n', '\r']);
    let start = line.rfind('\n').map_or(0, |at| at + 1);
    found.at(&text, start..line.len())
}

/// `vertices` \[m\] and `triangles` as OBJ text.
pub fn write_obj(vertices: &[Vec3], triangles: &[[u32; 3]]) -> String {
    let mut text = String::with_capacity(40 * vertices.len() + 24 * triangles.len());
    for v in vertices {
        // writing to a string does not fail
        let _ = writeln!(text, "v {} {} {}", v.x, v.y, v.z);
    }
    for [a, b, c] in triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}

/// Replaces every mesh file that `scene` names by what is in it. Names without a root are
/// looked for in `folder`.
pub fn resolve_meshes(scene: &mut Scene, folder: &Path) -> Result<(), SceneError> {
    for (i, body) in scene.bodies.iter_mut().enumerate() {
        let place = match body.name.as_str() {
            "" => Subject::named("body", format!("{}-{i}", body.shape.kind())),
            name => Subject::named("body", name),
        };
        resolve(&mut body.shape, &place, "shape", folder)?;
    }
    for generator in &mut scene.generators {
        let kind = generator.pattern.kind();
        let name = if generator.name.is_empty() {
            kind
        } else {
            &generator.name
        };
        let place = Subject::named("generator", name);
        let (shapes, many) = match &mut generator.pattern {
            Pattern::Stack(p) => (std::slice::from_mut(&mut p.shape), false),
            Pattern::Line(p) => (p.shapes.as_mut_slice(), true),
            Pattern::Grid(p) => (p.shapes.as_mut_slice(), true),
            Pattern::Column(p) => (p.shapes.as_mut_slice(), true),
            Pattern::Fill(p) => (p.shapes.as_mut_slice(), true),
            _ => continue,
        };
        for (i, shape) in shapes.iter_mut().enumerate() {
            let field = match many {
                true => format!("pattern.{kind}.shapes[{i}]"),
                false => format!("pattern.{kind}.shape"),
            };
            resolve(shape, &place, &field, folder)?;
        }
    }
    for (i, cloth) in scene.cloths.iter_mut().enumerate() {
        let place = match cloth.name.as_str() {
            "" => Subject::named("cloth", format!("cloth-{i}")),
            name => Subject::named("cloth", name),
        };
        if let Surface::Mesh(mesh) = &mut cloth.surface {
            resolve_mesh(mesh, folder, false)
                .map_err(|e| unread(mesh, &e, &place, "surface", "an OBJ file with faces"))?;
        }
    }
    Ok(())
}

/// The error of reading the file of `mesh`, which `place` of the scene names.
fn unread(
    mesh: &Mesh,
    error: &FileError,
    place: &Subject,
    field: &str,
    wanted: &str,
) -> SceneError {
    let file = mesh.file.as_deref().unwrap_or_default();
    let found = match &error.place {
        Some(at) => format!("`{file}` (line {}: {})", at.line, error.message),
        None => format!("`{file}` ({})", error.message),
    };
    let wanted = format!("{wanted}, found from the scene file's folder");
    SceneError::value(place, format!("{field}.mesh.file"), found, wanted)
}

fn resolve(
    shape: &mut Shape,
    place: &Subject,
    field: &str,
    folder: &Path,
) -> Result<(), SceneError> {
    match shape {
        Shape::Mesh(mesh) => resolve_mesh(mesh, folder, true).map_err(|e| {
            let wanted = "an OBJ file with a closed surface";
            unread(mesh, &e, place, field, wanted)
        }),
        Shape::Compound { parts } => parts.iter_mut().enumerate().try_for_each(|(i, part)| {
            let field = format!("{field}.compound.parts[{i}].shape");
            resolve(&mut part.shape, place, &field, folder)
        }),
        _ => Ok(()),
    }
}

fn resolve_mesh(mesh: &mut Mesh, folder: &Path, closed: bool) -> Result<(), FileError> {
    let Some(file) = &mesh.file else {
        return Ok(());
    };
    if mesh.builtin.is_some() || !mesh.vertices.is_empty() || !mesh.triangles.is_empty() {
        // given twice: validation says so
        return Ok(());
    }
    // an absolute name stays what it is
    let path = folder.join(file);
    let bytes = read_bytes(&path, LONGEST_FILE)?;
    let (vertices, triangles) = parse_surface(&bytes, &path)?;
    if closed {
        TriMesh::closed(vertices.clone(), triangles.clone())
            .map_err(|e| FileError::new(&path, e.to_string()))?;
    }
    mesh.vertices = vertices.iter().map(|v| v.to_array()).collect();
    mesh.triangles = triangles;
    mesh.file = None;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n\
        f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

    const CUBE: &str = "mtllib none.mtl\no left\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\n\
            v 1 1 1\nv 0 1 1\nvt 0 0\nvn 0 0 1\nusemtl stone\nf 1//1 4//1 3//1 2//1\n\
            f 5/1 6/1 7/1 8/1\ng other\nf 1 2 6 5\nf 2 3 7 6\no right\nf 3 4 8 7\nf 4 1 5 8\n";

    fn message(text: &str) -> String {
        parse_obj(text.as_bytes(), "a.obj").unwrap_err().to_string()
    }

    #[test]
    fn a_written_mesh_reads_back_bit_for_bit() {
        let mesh = parse_obj(TETRAHEDRON.as_bytes(), "a.obj").unwrap();
        let turned = mesh
            .transformed(|v| v * 0.1 + Vec3::new(1.0 / 3.0, 2e-7, -5.5e3))
            .unwrap();
        let text = write_obj(turned.vertices(), turned.triangles());
        assert_eq!(parse_obj(text.as_bytes(), "b.obj").unwrap(), turned);
    }

    #[test]
    fn quads_textures_groups_and_materials_are_read() {
        let mesh = parse_obj(CUBE.as_bytes(), "cube.obj").unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
        assert!((mesh.volume() - 1.0).abs() < 1e-15, "{}", mesh.volume()); // measured: 0
    }

    #[test]
    fn bad_meshes_are_refused_with_a_reason() {
        assert!(message("").contains("no face"));
        assert!(message("v 0 0 0\nv 1 0 0\n").contains("no face"));
        let open = CUBE.rsplit_once("f ").unwrap().0;
        assert!(
            message(open).contains("has one triangle"),
            "{}",
            message(open)
        );
        let cut = format!("{TETRAHEDRON}f 1 2 q\n");
        assert!(
            message(&cut).starts_with("a.obj:9:1: face parse error"),
            "{}",
            message(&cut)
        );
        assert!(
            message("v 0 0\nv a b c\n").contains("a.obj:1:1"),
            "{}",
            message("v 0 0\n")
        );
        for face in [
            "f 1 2 9",
            "f 0 1 2",
            "f -9 1 2",
            "f 1 2 99999999999999999999",
        ] {
            assert!(
                parse_obj(format!("{TETRAHEDRON}{face}\n").as_bytes(), "a.obj").is_err(),
                "{face}"
            );
        }
        assert!(parse_obj(b"\xff\xfe\x00f 1 2 3", "a.obj").is_err());
        let nan = TETRAHEDRON.replace("v 1 0 0", "v nan 0 0");
        assert!(message(&nan).contains("finite"), "{}", message(&nan));
    }
}
