//! Values that a file may leave out.

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(crate) fn one() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
pub(crate) fn is_one(value: &f64) -> bool {
    *value == 1.0
}
