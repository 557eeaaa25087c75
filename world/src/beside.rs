//! Reads a table of which some keys are not for the struct that has the rest, so that errors keep their places.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};

use crate::nearest;

/// Keys beside those of a struct.
pub(crate) trait Beside<'de> {
    /// The keys that are written beside those of `T`.
    const KEYS: &'static [&'static str];

    /// Reads the value of `key`, which is next in `table`.
    fn read<M: MapAccess<'de>>(&mut self, key: &str, table: &mut M) -> Result<(), M::Error>;
}

/// Reads a `T` from a table, and into `beside` what is not for it.
pub(crate) fn read_beside<'de, T, B, D>(from: D, beside: &mut B) -> Result<T, D::Error>
where
    T: Deserialize<'de>,
    B: Beside<'de>,
    D: Deserializer<'de>,
{
    from.deserialize_map(Whole(beside, PhantomData))
}

struct Whole<'b, B, T>(&'b mut B, PhantomData<T>);

impl<'de, B: Beside<'de>, T: Deserialize<'de>> Visitor<'de> for Whole<'_, B, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<M: MapAccess<'de>>(self, table: M) -> Result<T, M::Error> {
        T::deserialize(MapAccessDeserializer::new(Rest {
            table,
            beside: self.0,
        }))
    }
}

/// A table without the keys of `beside`.
struct Rest<'b, M, B> {
    table: M,
    beside: &'b mut B,
}

impl<'de, M: MapAccess<'de>, B: Beside<'de>> MapAccess<'de> for Rest<'_, M, B> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        let mut seed = Some(seed);
        loop {
            let key = Key {
                rest: &mut seed,
                beside: B::KEYS,
            };
            match self.table.next_key_seed(key)? {
                None => return Ok(None),
                Some(Found::Rest(key)) => return Ok(Some(key)),
                Some(Found::Beside(key)) => self.beside.read(&key, &mut self.table)?,
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.table.next_value_seed(seed)
    }
}

/// Reads a key, and with `rest` if it is not one of `beside`.
struct Key<'s, K> {
    rest: &'s mut Option<K>,
    beside: &'static [&'static str],
}

enum Found<K> {
    Rest(K),
    Beside(String),
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Key<'_, K> {
    type Value = Found<K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(from)?;
        let known = self.beside.contains(&key.as_str());
        let Some(rest) = self.rest.take_if(|_| !known) else {
            return Ok(Found::Beside(key));
        };
        let reader: StringDeserializer<D::Error> = key.clone().into_deserializer();
        rest.deserialize(reader).map(Found::Rest).map_err(|error| {
            match nearest(&key, self.beside.iter().copied()) {
                Some(near) => D::Error::custom(format!("unknown field `{key}`, expected `{near}`")),
                None => error,
            }
        })
    }
}
