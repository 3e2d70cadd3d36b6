//! What a client asks for besides the resource: a version of the API and a media type.

mod media;
mod version;

pub use media::Media;
pub use version::Version;
