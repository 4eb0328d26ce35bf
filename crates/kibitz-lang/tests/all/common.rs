//! What several tests need.

/// The processor's time that this thread has taken so far, in seconds: how much was done, however busy the
/// machine is. Where the system does not say (it is asked the Linux way), nothing has been.
pub fn processor_seconds() -> f64 {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    line.split_whitespace().next().and_then(|time| time.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
