//! glTF binary (`.glb`): one node per body with translation and rotation channels.
//!
//! Bodies of equal shape share their vertices, bodies of equal colour their material. A body
//! that enters later (or is quarantined) has a scale channel that steps between 0 and 1.
//!
//! Strands and cloth are left out: glTF has no curves with a width, and moving vertices only as one
//! morph target a frame, which few programs bear. USD holds them. A scene that has nothing but
//! strands and cloth is refused.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use drystone_world::{Frame, FrameRecord, Scene};
use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::animation::{Channel, Interpolation, Property, Sampler, Target};
use gltf_json::buffer::{Stride, Target as ViewTarget, View};
use gltf_json::material::{PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::scene::UnitQuaternion;
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Accessor, Animation, Asset, Buffer, Index, Material, Mesh, Node, Root};

use crate::appearance::{colour, floor_reach};
use crate::atomic_file::AtomicFile;
use crate::surface::surface;
use crate::tracks::{Track, Tracks};
use crate::{FileError, Sink, Written};

/// Collects frames and writes them as one glTF binary.
pub struct GltfSink {
    file: AtomicFile,
    tracks: Tracks,
    name: String,
}

impl GltfSink {
    /// Begins a file at `path` for the bodies of `scene`.
    pub fn create(path: impl AsRef<Path>, scene: &Scene) -> Result<Self, FileError> {
        let path = path.as_ref();
        Ok(Self {
            file: AtomicFile::create(path)?,
            tracks: Tracks::new(scene).map_err(|e| FileError::new(path, e))?,
            name: scene.name.clone(),
        })
    }

    /// Adds a frame; its bodies are those of the scene, in order.
    pub fn push(&mut self, frame: &Frame) -> Result<(), FileError> {
        if frame.bodies.is_empty() && !(frame.strands.is_empty() && frame.cloths.is_empty()) {
            let message = "glTF files hold bodies alone, and the scene has none";
            let error = FileError::new(self.file.path(), message);
            return Err(error.with_help("write .usda for strands and cloth"));
        }
        self.tracks
            .push(frame)
            .map_err(|e| FileError::new(self.file.path(), e))
    }

    /// Writes the file.
    pub fn finish(self) -> Result<Written, FileError> {
        let path = self.file.path().to_owned();
        let frames = self.tracks.times.len();
        let (root, binary) = Builder::new().build(&self.tracks, &self.name);
        let bytes = self.file.commit(|out| write_glb(out, &root, &binary))?;
        Ok(Written {
            path,
            bytes,
            frames,
        })
    }
}

impl Sink for GltfSink {
    fn frame(&mut self, frame: &Frame, _: &FrameRecord) -> Result<(), FileError> {
        self.push(frame)
    }

    fn finish(self: Box<Self>) -> Result<Written, FileError> {
        Self::finish(*self)
    }
}

/// The parts of the binary chunk, each one buffer view.
#[derive(Clone, Copy)]
enum Part {
    Positions,
    Normals,
    Triangles,
    Motion,
}

/// Vertices of a shape, as accessors.
#[derive(Clone, Copy)]
struct Vertices {
    positions: Index<Accessor>,
    normals: Index<Accessor>,
    triangles: Index<Accessor>,
}

struct Builder {
    root: Root,
    parts: [Vec<u8>; 4],
    shapes: BTreeMap<[u8; 32], Option<Vertices>>,
    materials: BTreeMap<[u32; 3], Index<Material>>,
    meshes: BTreeMap<([u8; 32], [u32; 3]), Index<Mesh>>,
}

impl Builder {
    fn new() -> Self {
        let generator = format!("Drystone {}", env!("CARGO_PKG_VERSION"));
        Self {
            root: Root {
                asset: Asset {
                    generator: Some(generator),
                    ..Asset::default()
                },
                ..Root::default()
            },
            parts: Default::default(),
            shapes: BTreeMap::new(),
            materials: BTreeMap::new(),
            meshes: BTreeMap::new(),
        }
    }

    fn build(mut self, tracks: &Tracks, name: &str) -> (Root, Vec<u8>) {
        // sample times, shared by all channels
        let floor = floor_reach(&tracks.bodies);
        let animated = tracks.times.len() > 1;
        let times = animated.then(|| {
            let times: Vec<[f32; 1]> = tracks.times.iter().map(|&t| [t as f32]).collect();
            self.accessor(Part::Motion, Type::Scalar, &times, true)
        });
        // a node for each body, with channels for what changes
        let (mut channels, mut samplers, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (body, track)) in tracks.bodies.iter().zip(&tracks.motion).enumerate() {
            let mesh = self.mesh(&body.shape, colour(body, i), floor);
            let node = self.root.push(node(&body.name, mesh, body, track));
            nodes.push(node);
            let Some(times) = times else { continue };
            let mut channel = |output, path, interpolation| {
                let sampler = Index::push(
                    &mut samplers,
                    Sampler {
                        input: times,
                        output,
                        interpolation: Checked::Valid(interpolation),
                        extensions: None,
                        extras: Default::default(),
                    },
                );
                let target = Target {
                    node,
                    path: Checked::Valid(path),
                    extensions: None,
                    extras: Default::default(),
                };
                channels.push(Channel {
                    sampler,
                    target,
                    extensions: None,
                    extras: Default::default(),
                });
            };
            // position and rotation
            if !track.is_still() {
                let moves: Vec<[f32; 3]> = track
                    .position
                    .iter()
                    .map(|p| p.as_vec3().to_array())
                    .collect();
                let output = self.accessor(Part::Motion, Type::Vec3, &moves, false);
                channel(output, Property::Translation, Interpolation::Linear);
                let turns: Vec<[f32; 4]> =
                    track.rotation.iter().map(|q| q.map(|x| x as f32)).collect();
                let output = self.accessor(Part::Motion, Type::Vec4, &turns, false);
                channel(output, Property::Rotation, Interpolation::Linear);
            }
            // glTF has no visibility: a body that is not there yet has scale 0
            if !track.is_always_visible() {
                let sizes: Vec<[f32; 3]> = track
                    .visible
                    .iter()
                    .map(|&v| [if v { 1.0 } else { 0.0 }; 3])
                    .collect();
                let output = self.accessor(Part::Motion, Type::Vec3, &sizes, false);
                channel(output, Property::Scale, Interpolation::Step);
            }
        }
        // one animation and one scene hold everything
        if !channels.is_empty() {
            self.root.animations.push(Animation {
                name: Some("motion".into()),
                channels,
                samplers,
                extensions: None,
                extras: Default::default(),
            });
        }
        let scene = self.root.push(gltf_json::Scene {
            name: (!name.is_empty()).then(|| name.to_owned()),
            nodes,
            extensions: None,
            extras: Default::default(),
        });
        self.root.scene = Some(scene);
        self.with_buffer()
    }

    /// Joins the parts into one buffer with a view on each.
    fn with_buffer(mut self) -> (Root, Vec<u8>) {
        let mut binary = Vec::with_capacity(self.parts.iter().map(Vec::len).sum());
        let kinds = [
            (Some(12), Some(ViewTarget::ArrayBuffer)),
            (Some(12), Some(ViewTarget::ArrayBuffer)),
            (None, Some(ViewTarget::ElementArrayBuffer)),
            (None, None),
        ];
        // views that hold nothing are left out; accessors are numbered by part until here
        let mut number = [None; 4];
        for (i, (bytes, (stride, target))) in self.parts.iter().zip(kinds).enumerate() {
            if bytes.is_empty() {
                continue;
            }
            number[i] = Some(self.root.buffer_views.len() as u32);
            self.root.buffer_views.push(View {
                buffer: Index::new(0),
                byte_length: USize64::from(bytes.len()),
                byte_offset: Some(USize64::from(binary.len())),
                byte_stride: stride.map(Stride),
                name: None,
                target: target.map(Checked::Valid),
                extensions: None,
                extras: Default::default(),
            });
            binary.extend(bytes);
        }
        for accessor in &mut self.root.accessors {
            let part = accessor.buffer_view.map_or(0, |view| view.value());
            accessor.buffer_view = number[part].map(Index::new);
        }
        if !binary.is_empty() {
            self.root.buffers.push(Buffer {
                byte_length: USize64::from(binary.len()),
                name: None,
                uri: None,
                extensions: None,
                extras: Default::default(),
            });
        }
        (self.root, binary)
    }

    fn mesh(
        &mut self,
        shape: &drystone_world::Shape,
        paint: [f32; 3],
        floor: f64,
    ) -> Option<Index<Mesh>> {
        let json = serde_json::to_vec(shape).unwrap_or_default();
        let key = *blake3::hash(&json).as_bytes();
        let paint_key = paint.map(f32::to_bits);
        if let Some(mesh) = self.meshes.get(&(key, paint_key)) {
            return Some(*mesh);
        }
        let vertices = match self.shapes.get(&key) {
            Some(vertices) => *vertices,
            None => {
                let vertices = self.vertices(shape, floor);
                self.shapes.insert(key, vertices);
                vertices
            }
        }?;
        let material = self.material(paint);
        let attributes = [
            (Checked::Valid(Semantic::Positions), vertices.positions),
            (Checked::Valid(Semantic::Normals), vertices.normals),
        ];
        let mesh = self.root.push(Mesh {
            name: Some(shape.kind().into()),
            primitives: vec![Primitive {
                attributes: attributes.into(),
                indices: Some(vertices.triangles),
                material: Some(material),
                mode: Checked::Valid(Mode::Triangles),
                targets: None,
                extensions: None,
                extras: Default::default(),
            }],
            weights: None,
            extensions: None,
            extras: Default::default(),
        });
        self.meshes.insert((key, paint_key), mesh);
        Some(mesh)
    }

    fn vertices(&mut self, shape: &drystone_world::Shape, floor: f64) -> Option<Vertices> {
        let surface = surface(shape, floor);
        if surface.triangles.is_empty() {
            return None;
        }
        let plain = |list: &[drystone_base::Vec3]| -> Vec<[f32; 3]> {
            list.iter().map(|v| v.as_vec3().to_array()).collect()
        };
        let positions = self.accessor(
            Part::Positions,
            Type::Vec3,
            &plain(&surface.positions),
            true,
        );
        let normals = self.accessor(Part::Normals, Type::Vec3, &plain(&surface.normals), false);
        let bytes = &mut self.parts[Part::Triangles as usize];
        let offset = bytes.len();
        bytes.extend(
            surface
                .triangles
                .iter()
                .flatten()
                .flat_map(|i| i.to_le_bytes()),
        );
        let count = 3 * surface.triangles.len();
        let triangles = self.push_accessor(
            Part::Triangles,
            offset,
            count,
            ComponentType::U32,
            Type::Scalar,
        );
        Some(Vertices {
            positions,
            normals,
            triangles,
        })
    }

    fn material(&mut self, paint: [f32; 3]) -> Index<Material> {
        let [r, g, b] = paint;
        let root = &mut self.root;
        *self
            .materials
            .entry(paint.map(f32::to_bits))
            .or_insert_with(|| {
                root.push(Material {
                    double_sided: false,
                    pbr_metallic_roughness: PbrMetallicRoughness {
                        base_color_factor: PbrBaseColorFactor([r, g, b, 1.0]),
                        metallic_factor: StrengthFactor(0.0),
                        roughness_factor: StrengthFactor(0.8),
                        ..PbrMetallicRoughness::default()
                    },
                    ..Material::default()
                })
            })
    }

    /// Appends `values` to `part`; with `bounds` the accessor says how small and large they are.
    fn accessor<const N: usize>(
        &mut self,
        part: Part,
        kind: Type,
        values: &[[f32; N]],
        bounds: bool,
    ) -> Index<Accessor> {
        let bytes = &mut self.parts[part as usize];
        let offset = bytes.len();
        bytes.extend(values.iter().flatten().flat_map(|x| x.to_le_bytes()));
        let index = self.push_accessor(part, offset, values.len(), ComponentType::F32, kind);
        if bounds {
            let extreme = |pick: fn(f32, f32) -> f32| {
                let start = values.first().copied().unwrap_or([0.0; N]);
                let all = values.iter().fold(start, |mut most, value| {
                    most.iter_mut()
                        .zip(value)
                        .for_each(|(a, &b)| *a = pick(*a, b));
                    most
                });
                Some(serde_json::Value::from(all.to_vec()))
            };
            let accessor = &mut self.root.accessors[index.value()];
            (accessor.min, accessor.max) = (extreme(f32::min), extreme(f32::max));
        }
        index
    }

    fn push_accessor(
        &mut self,
        part: Part,
        offset: usize,
        count: usize,
        component: ComponentType,
        kind: Type,
    ) -> Index<Accessor> {
        self.root.push(Accessor {
            buffer_view: Some(Index::new(part as u32)),
            byte_offset: Some(USize64::from(offset)),
            count: USize64::from(count),
            component_type: Checked::Valid(GenericComponentType(component)),
            type_: Checked::Valid(kind),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
            extensions: None,
            extras: Default::default(),
        })
    }
}

/// A body as it is at the first frame.
fn node(name: &str, mesh: Option<Index<Mesh>>, body: &drystone_world::Body, track: &Track) -> Node {
    let start = body.pose();
    let position = track.position.first().copied().unwrap_or(start.position);
    let rotation = track
        .rotation
        .first()
        .copied()
        .unwrap_or(start.rotation.to_array());
    let visible = track.visible.first().copied().unwrap_or(true);
    Node {
        name: Some(name.to_owned()),
        mesh,
        translation: Some(position.as_vec3().to_array()),
        rotation: Some(UnitQuaternion(rotation.map(|x| x as f32))),
        scale: (!visible).then_some([0.0; 3]),
        ..Node::default()
    }
}

/// Header, JSON chunk and binary chunk (glTF 2.0, §4).
fn write_glb(out: &mut impl Write, root: &Root, binary: &[u8]) -> io::Result<()> {
    let mut json = serde_json::to_vec(root)?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let padded = binary.len().next_multiple_of(4);
    let binary_chunk = if binary.is_empty() { 0 } else { 8 + padded };
    let length = u32::try_from(12 + 8 + json.len() + binary_chunk).map_err(|_| {
        io::Error::other("more than 4 GiB do not fit into glTF; write .usda instead")
    })?;
    out.write_all(b"glTF")?;
    out.write_all(&2u32.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&(json.len() as u32).to_le_bytes())?;
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    if !binary.is_empty() {
        out.write_all(&(padded as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        out.write_all(binary)?;
        out.write_all(&[0; 3][..padded - binary.len()])?;
    }
    Ok(())
}
