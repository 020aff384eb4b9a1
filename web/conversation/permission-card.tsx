import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { PermissionDecision } from '../../src/core/chat-event.js';
import type { PermissionView } from '../../src/gateway/channels/http/wire.js';
import { ApiError, api } from '../api.js';
import { memo } from '../memo.js';
import { VisibleLines, VisibleText } from '../visible-text.js';
import { PermissionPreview } from './permission-preview.js';
import { focusMessage, hasKeyboard, isTyping } from './typing.js';
import { scrollWith, useUnread } from './unread.js';
import './permission-card.css';

/** A key that was meant for something else must not answer a question that has just come up. */
const deafMs = 700;
/** Nor the second half of a double press, of which the first has led here. */
const settleMs = 300;

/**
 * A question of the agent's: what it would do, and the answers that are offered. It takes the focus if nobody is typing:
 * then Enter allows. Escape denies, also from the message. Nothing is allowed of which a part was never in sight: Enter and Allow go on to it.
 */
export const PermissionCard = memo(function PermissionCard({
  permission,
}: {
  readonly permission: PermissionView;
}) {
  const { id, tool, options, always } = permission;
  const card = useRef<HTMLElement>(null);
  const [whole, setWhole] = useState(false);
  const deafUntil = useRef(performance.now() + deafMs);
  const [state, setState] = useState<'open' | 'reason' | 'sending' | string>('open');
  const reason = useRef<HTMLInputElement>(null);
  const { box: preview, unread, isUnread, scrollOn, toEnd } = useUnread(whole);
  const scrolledAt = useRef(Number.NEGATIVE_INFINITY);
  const hint = useId();
  const [left, setLeft] = useState(0);

  useEffect(() => {
    const shown = card.current;
    if (!isTyping()) shown?.focus();
    return () => {
      if (hasKeyboard() && shown?.contains(document.activeElement)) focusMessage();
    };
  }, []);
  useEffect(() => {
    if (state === 'reason') reason.current?.focus();
  }, [state]);

  const decide = async (decision: PermissionDecision, message?: string) => {
    setState('sending');
    try {
      await api.decide(id, decision, message);
    } catch (error) {
      // Somebody else has answered it: the next state of the channel is without it.
      const isGone = error instanceof ApiError && (error.status === 404 || error.status === 409);
      setState(isGone ? 'It was answered already.' : error instanceof Error ? error.message : String(error));
    }
  };
  const allow = (decision: PermissionDecision) => {
    if (isUnread()) {
      scrolledAt.current = performance.now();
      return scrollOn();
    }
    // The second half of a double click has seen nothing.
    if (performance.now() - scrolledAt.current > deafMs) void decide(decision);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isOurs = event.target === card.current || event.target === preview.current;
    if (!isOurs || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === card.current) scrollWith(event, preview.current);
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat || state === 'sending' || performance.now() < deafUntil.current) return;
    // What can't be shown takes a look at what is said about it, and a press of the button.
    if (event.key === 'Enter') {
      if (left === 0 || isUnread()) allow('allow');
    } else if (whole) setWhole(false);
    else void decide('deny');
  };
  const sending = state === 'sending';
  // Not disabled: it can be reached with Tab, and goes on to what was not seen.
  const untilRead = unread > 0 ? { 'aria-disabled': true, 'aria-describedby': hint } : {};
  return (
    <section
      class={whole ? 'permission permission-whole' : 'permission'}
      ref={card}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Enter and Escape answer it
      tabIndex={0}
      aria-label={`Permission for ${tool}`}
      onKeyDown={onKeyDown}
      onFocus={() => {
        deafUntil.current = Math.max(deafUntil.current, performance.now() + settleMs);
      }}
    >
      <h3 class="permission-title">
        May the agent use{' '}
        <b>
          <VisibleText text={tool} level="exact" />
        </b>
        ?
      </h3>
      <section
        class="permission-preview"
        ref={preview}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
        tabIndex={0}
        aria-label="What it would do"
      >
        <PermissionPreview permission={permission} onLeft={setLeft} />
      </section>
      {options.includes('allow_always') && (
        <div class="permission-always">
          “Always” allows, until the session ends:
          <pre>
            <VisibleLines text={always ?? ''} level="exact" />
          </pre>
        </div>
      )}
      {(unread > 0 || whole) && (
        <div class="permission-unread">
          {unread > 0 && (
            <span id={hint} role="status">
              {unread === Number.POSITIVE_INFINITY
                ? 'There is more below.'
                : unread === 1
                  ? '1 more line.'
                  : `${unread} more lines.`}{' '}
              Read to the end to allow.
            </span>
          )}
          <button type="button" class="small" onClick={() => setWhole(!whole)}>
            {whole ? 'Smaller' : 'Show all'}
          </button>
          {unread > 0 && (
            <button type="button" class="small" onClick={toEnd}>
              To the end
            </button>
          )}
        </div>
      )}
      {state === 'reason' ? (
        <form
          class="permission-answers"
          onSubmit={(event) => {
            event.preventDefault();
            void decide('deny', reason.current?.value.trim());
          }}
        >
          <input
            ref={reason}
            type="text"
            aria-label="Reason"
            placeholder="Reason, for the agent"
            maxLength={2000}
          />
          <button type="submit" class="danger">
            Deny
          </button>
          <button type="button" class="plain" onClick={() => setState('open')}>
            Back
          </button>
        </form>
      ) : (
        <div class="permission-answers">
          {options.includes('allow') && (
            <button
              type="button"
              class="primary"
              disabled={sending}
              onClick={() => allow('allow')}
              {...untilRead}
            >
              Allow
            </button>
          )}
          {options.includes('allow_always') && (
            <button type="button" disabled={sending} onClick={() => allow('allow_always')} {...untilRead}>
              Always allow
            </button>
          )}
          {options.includes('deny') && (
            <>
              <button type="button" class="danger" disabled={sending} onClick={() => decide('deny')}>
                Deny
              </button>
              <button type="button" class="plain small" disabled={sending} onClick={() => setState('reason')}>
                Say why …
              </button>
            </>
          )}
          <span class="permission-keys">
            {unread > 0 ? (
              <>
                <kbd>Enter</kbd> reads on,{' '}
              </>
            ) : (
              <>
                <kbd>Enter</kbd> {left > 0 ? 'does not allow' : 'allows'},{' '}
              </>
            )}
            <kbd>Esc</kbd> {whole ? 'makes it smaller' : 'denies'}
          </span>
        </div>
      )}
      {!['open', 'reason', 'sending'].includes(state) && (
        <p class="failure" role="alert">
          {state}
        </p>
      )}
    </section>
  );
});
