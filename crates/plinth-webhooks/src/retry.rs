//! When a failed delivery is tried again.

use http::StatusCode;

use crate::SendError;

/// The delay before the second attempt; each later one is four times longer. Seven attempts take about six hours.
const FIRST_DELAY_SECONDS: i64 = 15;
const DELAY_SECONDS_MAX: i64 = 24 * 60 * 60;
/// Spreads the attempts of many deliveries that failed together.
const JITTER_PERCENT: i64 = 20;

/// Whether a later attempt may succeed although nobody changes the hook.
pub fn is_temporary(outcome: Result<StatusCode, SendError>) -> bool {
    match outcome {
        Ok(status) => {
            const TOO_EARLY: u16 = 425;
            status.is_server_error()
                || [StatusCode::REQUEST_TIMEOUT.as_u16(), TOO_EARLY, StatusCode::TOO_MANY_REQUESTS.as_u16()]
                    .contains(&status.as_u16())
        }
        Err(error) => error.is_temporary(),
    }
}

/// Seconds until the attempt after attempt number `attempt`.
pub fn delay_seconds(attempt: i64) -> i64 {
    delay(attempt, random_percent())
}

fn delay(attempt: i64, percent: i64) -> i64 {
    let exponent = u32::try_from(attempt - 1).unwrap_or_default().min(10);
    let seconds = (FIRST_DELAY_SECONDS * 4_i64.pow(exponent)).min(DELAY_SECONDS_MAX);
    seconds + seconds * percent / 100
}

/// Between minus and plus [`JITTER_PERCENT`].
fn random_percent() -> i64 {
    let mut byte = [0];
    getrandom::fill(&mut byte).expect("the system has a random generator");
    i64::from(byte[0]) % (2 * JITTER_PERCENT + 1) - JITTER_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_a_limit_with_jitter() {
        let delays = [1, 2, 3, 4, 5, 6, 7, 8, 100].map(|attempt| delay(attempt, 0));
        assert_eq!(delays, [15, 60, 240, 960, 3_840, 15_360, 61_440, 86_400, 86_400]);
        assert_eq!((delay(1, -20), delay(2, 20)), (12, 72));
        assert!((0..1_000).map(|_| random_percent()).all(|percent| percent.abs() <= JITTER_PERCENT));
    }

    #[test]
    fn only_temporary_failures_are_retried() {
        let status = |code| is_temporary(Ok(StatusCode::from_u16(code).expect("a status")));
        assert!([408, 425, 429, 500, 502, 503, 504].into_iter().all(status));
        assert!(![301, 302, 400, 401, 404, 410, 422].into_iter().any(status));
        assert!(is_temporary(Err(SendError::TimedOut)) && is_temporary(Err(SendError::CannotConnect)));
        assert!(!is_temporary(Err(SendError::ForbiddenAddress)));
    }
}
