//! The part of an address after the question mark.

/// Pairs of name and value, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn read(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        };
        Self(pairs.map(pair).collect())
    }

    pub(crate) fn first(&self, name: &str) -> Option<String> {
        let pair = self.0.iter().find(|(found, _)| found == name);
        pair.map(|(_, value)| value.clone())
    }

    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        let pairs = self.0.iter().filter(|(found, _)| found == name);
        pairs.map(|(_, value)| value.clone()).collect()
    }

    /// `pairs` as they stand in an address.
    pub(crate) fn write(pairs: &[(&str, &str)]) -> String {
        let pair = |(name, value): &(&str, &str)| format!("{name}={}", encode(value));
        pairs.iter().map(pair).collect::<Vec<_>>().join("&")
    }
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |byte: Option<&u8>| byte.and_then(|&byte| (byte as char).to_digit(16));
        match (bytes[at], hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
                continue;
            }
            (b'+', ..) => out.push(b' '),
            (byte, ..) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn encode(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let value = "material.brick.friction=0.3 & [é, \"%41\"]";
        let written = Query::write(&[("scene", "wall"), ("set", value), ("set", "dt=1")]);
        let read = Query::read(&written);
        assert_eq!(read.all("set"), [value, "dt=1"]);
        assert_eq!(read.first("scene").as_deref(), Some("wall"));
        assert_eq!(
            Query::read("a=%zz&%4&b=1+2").first("b").as_deref(),
            Some("1 2")
        );
    }
}
