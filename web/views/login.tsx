import { useEffect, useRef, useState } from 'preact/hooks';
import { useCell } from '../cell.js';
import { refusal, signIn, tokenIn } from '../session.js';
import './login.css';

/** Asks for the token. It lies over the page, so that nothing typed there is lost. */
export function Login() {
  const why = useCell(refusal);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = tokenIn(field.current?.value ?? '');
    if (token === '') return;
    setBusy(true);
    await signIn(token);
    setBusy(false);
  };
  return (
    <div class="login" role="dialog" aria-modal="true" aria-labelledby="login-title">
      <form class="login-card" onSubmit={submit}>
        <h1 id="login-title">Turnout</h1>
        <p>
          Open the address that the gateway has printed (it ends with <code>#token=…</code>), or paste it or
          its token here.
        </p>
        <label for="login-token">Token</label>
        <input
          id="login-token"
          name="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          ref={field}
          aria-describedby={why === undefined ? undefined : 'login-refusal'}
        />
        {why !== undefined && (
          <p id="login-refusal" class="login-refusal" role="alert">
            {why}
          </p>
        )}
        <button type="submit" class="primary" disabled={busy}>
          Sign in
        </button>
        <p class="login-hint">
          The token is in the file <code>http-token</code> of the gateway’s data directory, or is its setting{' '}
          <code>HTTP_TOKEN</code>.
        </p>
      </form>
    </div>
  );
}
