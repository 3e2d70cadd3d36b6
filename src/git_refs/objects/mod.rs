//! Git objects by their names.

use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
}
