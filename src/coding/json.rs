//! How the header of a partial, which is JSON, has hashes, names of any bytes, and schemas.

use serde::{Deserialize, Deserializer, Serializer};

/// Hashes as hexadecimal digits: other programs read large numbers inexactly.
pub(crate) mod hex {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(hash: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{hash:032x}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        let digits = String::deserialize(from)?;
        let hash = u128::from_str_radix(&digits, 16).map_err(serde::de::Error::custom)?;
        // One hash has one way to be written.
        let is_canonical = digits == format!("{hash:032x}");
        is_canonical
            .then_some(hash)
            .ok_or_else(|| serde::de::Error::custom("no hash"))
    }
}

/// Names of files: text, or a list of bytes if they are no UTF-8.
pub(crate) mod name {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    use serde::Serialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Name {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub(crate) fn serialize<S: Serializer>(name: &OsStr, to: S) -> Result<S::Ok, S::Error> {
        match name.to_str() {
            Some(text) => to.serialize_str(text),
            None => name.as_bytes().serialize(to),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OsString, D::Error> {
        Ok(match Name::deserialize(from)? {
            Name::Text(text) => text.into(),
            // One name has one way to be written.
            Name::Bytes(bytes) if str::from_utf8(&bytes).is_ok() => {
                return Err(serde::de::Error::custom("a name of text"));
            }
            Name::Bytes(bytes) => OsString::from_vec(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use serde::Serialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Both {
        #[serde(with = "name")]
        name: OsString,
        #[serde(with = "hex")]
        hash: u128,
    }

    #[test]
    fn names_of_any_bytes_and_hashes_come_back() {
        for (name, json) in [
            (&b"a.txt"[..], r#""a.txt""#),
            (b"PE\xd1A", "[80,69,209,65]"),
            ("PEÑA".as_bytes(), "\"PEÑA\""),
        ] {
            let name = OsString::from_vec(name.to_vec());
            for hash in [0, 1, u128::MAX] {
                let both = Both {
                    name: name.clone(),
                    hash,
                };
                let text = serde_json::to_string(&both).unwrap();
                assert!(text.contains(json), "{text}");
                assert_eq!(serde_json::from_str::<Both>(&text).unwrap(), both);
            }
        }
        let of_text = r#"{"name":[65],"hash":"00000000000000000000000000000000"}"#;
        assert!(serde_json::from_str::<Both>(of_text).is_err());
        for hash in ["", "1", "+0000000000000000000000000000001", "g"] {
            let text = format!(r#"{{"name":"","hash":"{hash}"}}"#);
            assert!(serde_json::from_str::<Both>(&text).is_err(), "{hash}");
        }
    }
}
