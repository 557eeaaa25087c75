//! Which strand or sheet a curve or a surface of a frame is.

use drystone_world::World;

/// The strand or cloth that a curve of a frame belongs to.
pub(crate) enum Curve {
    /// A curve of a strand.
    Strand { strand: usize, curve: usize },
    /// A chain of vertices of a sheet; a particle is a chain of one.
    Cloth { sheet: usize, vertices: Vec<u32> },
}

/// Curve `number` of the frames of `world`: those of strands come first.
pub(crate) fn curve(world: &World, number: usize) -> Option<Curve> {
    let mut left = number;
    if let Some(system) = world.strands() {
        for (strand, chain) in system.model.chains.iter().enumerate() {
            let count = chain.parameters.len();
            if left < count {
                let curve = left;
                return Some(Curve::Strand { strand, curve });
            }
            left -= count;
        }
    }
    let sheets = world
        .cloths()
        .map_or(&[][..], |system| &system.model().sheets);
    for (sheet, own) in sheets.iter().enumerate() {
        let mut chains = own.chains();
        if left < chains.len() {
            let vertices = chains.swap_remove(left);
            return Some(Curve::Cloth { sheet, vertices });
        }
        left -= chains.len();
    }
    None
}

/// Number of the first curve of every strand in the frames of `world`.
pub(crate) fn first_curves(world: &World) -> Vec<usize> {
    let chains = world
        .strands()
        .map_or(&[][..], |system| &system.model.chains);
    let firsts = chains.iter().scan(0, |next, chain| {
        let first = *next;
        *next += chain.parameters.len();
        Some(first)
    });
    firsts.collect()
}

/// The sheet of surface `number` of the frames of `world`; sheets without triangles have no surface.
pub(crate) fn sheet(world: &World, number: usize) -> Option<usize> {
    let sheets = world.cloths()?.model().sheets.iter().enumerate();
    let shown = sheets.filter(|(_, sheet)| !sheet.faces.is_empty());
    shown.map(|(i, _)| i).nth(number)
}
