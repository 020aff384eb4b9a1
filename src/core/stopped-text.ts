/** The reply to /stop. Where the turn itself tells that it was stopped, and by whom, it says nothing more. */
export const stoppedText = 'Stopped.';
