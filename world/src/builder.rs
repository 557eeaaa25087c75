//! What bodies, generators, strands, grooms and cloths say in the same words: where they are, how
//! they are turned, what they weigh, how they look. Each word is written once here and given to
//! the types that know it.

/// Builder methods of types with a `position`, a `rotation` or `turn`, a `colour` and data of the `user`.
macro_rules! placed {
    ($($thing:ty),*) => {$(
        impl $thing {
            /// Its frame is at (`x`, `y`, `z`) \[m\].
            #[must_use]
            pub fn at(mut self, x: f64, y: f64, z: f64) -> Self {
                self.position = [x, y, z].into();
                self
            }

            /// Its frame is turned by `degrees` about `axis`.
            #[must_use]
            pub fn turned(mut self, axis: [f64; 3], degrees: f64) -> Self {
                self.turn = Some(crate::Turn::new(axis, degrees));
                self.rotation = None;
                self
            }

            /// Shown in this colour, each part from 0 to 1.
            #[must_use]
            pub fn colour(mut self, red: f64, green: f64, blue: f64) -> Self {
                self.colour = Some([red, green, blue]);
                self
            }

            /// Keeps `value` under `key`, for whoever uses the scene.
            #[must_use]
            pub fn user(
                mut self,
                key: impl Into<String>,
                value: impl Into<serde_json::Value>,
            ) -> Self {
                self.user.insert(key.into(), value.into());
                self
            }
        }
    )*};
}

/// Builder methods of bodies and generators.
macro_rules! rigid {
    ($($thing:ty),*) => {$(
        impl $thing {
            /// Weighs `mass` \[kg\]; of many, each does.
            #[must_use]
            pub fn mass(mut self, mass: f64) -> Self {
                self.mass = Some(mass);
                self.density = None;
                self
            }

            /// Weighs `density` \[kg/m³\] times its volume.
            #[must_use]
            pub fn density(mut self, density: f64) -> Self {
                self.density = Some(density);
                self.mass = None;
                self
            }

            /// Starts moving with (`x`, `y`, `z`) \[m/s\].
            #[must_use]
            pub fn velocity(mut self, x: f64, y: f64, z: f64) -> Self {
                self.velocity = [x, y, z];
                self
            }

            /// Never moves.
            #[must_use]
            pub fn fixed(mut self) -> Self {
                self.motion = crate::Motion::Fixed;
                self
            }

            /// Made of the material called `material`.
            #[must_use]
            pub fn of(mut self, material: impl Into<String>) -> Self {
                self.material = material.into();
                self
            }

            /// Appears at `time` \[s\].
            #[must_use]
            pub fn enters_at(mut self, time: f64) -> Self {
                self.enters_at = time;
                self
            }
        }
    )*};
}

/// Builder methods of strands and grooms.
macro_rules! fibrous {
    ($($thing:ty),*) => {$(
        impl $thing {
            /// Rides on the body called `body`.
            #[must_use]
            pub fn on(mut self, body: impl Into<String>) -> Self {
                self.base = crate::Base::On(body.into());
                self
            }

            /// Made of `fibre`.
            #[must_use]
            pub fn of(mut self, fibre: crate::Fibre) -> Self {
                self.fibre = fibre;
                self
            }
        }
    )*};
}

placed!(
    crate::Body,
    crate::Generator,
    crate::Strand,
    crate::Groom,
    crate::Cloth
);
rigid!(crate::Body, crate::Generator);
fibrous!(crate::Strand, crate::Groom);
