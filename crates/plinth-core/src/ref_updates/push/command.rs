//! One line of a push.

use plinth_base::ids::Sha;

/// One line: a name with what the client thinks it is and what it shall become. The name is not judged yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub name: String,
    pub old: Option<Sha>,
    pub new: Option<Sha>,
}
