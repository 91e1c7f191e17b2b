//! Ctrl-c, for a dialogue that has something to say before it ends.

use tokio::runtime::Builder;

/// Does something once when ctrl-c is pressed, in a thread of its own. Where signals cannot be waited for, ctrl-c ends the
/// program as it always does.
pub fn on_interrupt(then: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        let Ok(runtime) = Builder::new_current_thread().enable_io().build() else {
            return;
        };
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            then();
        }
    });
}
