/** So long after a key was pressed somebody is still typing, even if the field is empty. */
const pauseMs = 1500;

let lastKeyAt = Number.NEGATIVE_INFINITY;

addEventListener(
  'keydown',
  () => {
    lastKeyAt = performance.now();
  },
  { capture: true, passive: true },
);

/** True if the focus must not be moved: it is in a field with text in it, or keys are being pressed. */
export function isTyping(): boolean {
  const active = document.activeElement;
  if (active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement) {
    return active.value !== '' || performance.now() - lastKeyAt < pauseMs;
  }
  // A chosen control is being used: an open menu, a button that was reached with Tab.
  return active !== null && active !== document.body && active.matches('select, button, a, summary');
}

/** True if a key pressed here is text. */
export function takesText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  );
}

/** True if Escape pressed here is for the turn: in the message, in the conversation, or nowhere. Any other place has its own. */
export function isForTurn(target: EventTarget | null): boolean {
  return (
    target === document.body || (target instanceof Element && target.closest('.composer, .timeline') !== null)
  );
}

/** Goes to the field for the next message. */
export function focusMessage(): void {
  document.getElementById('message')?.focus();
}

/** Goes to the first question that waits, if there is one. */
export function focusQuestion(): void {
  firstQuestion()?.focus();
}

/** Escape is for the question while one waits, wherever it is pressed: it takes the key as its own. False if there is none. */
export function denyQuestion(): boolean {
  const question = firstQuestion();
  question?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', cancelable: true }));
  return question !== null;
}

function firstQuestion(): HTMLElement | null {
  return document.querySelector('.permission');
}

/** Where there is a keyboard: on a phone it would cover the conversation. */
export function hasKeyboard(): boolean {
  return matchMedia('(pointer: fine)').matches;
}
