import { useState } from 'preact/hooks';
import type { SessionsView, SessionView } from '../../src/gateway/channels/http/wire.js';
import { api } from '../api.js';
import { channelsChanged, newChannel } from '../channels.js';
import { timeInWords } from '../in-words.js';
import { printRoute } from '../routes.js';

/**
 * The CLIs' own sessions. One that is chosen goes on in a new conversation, so these are those of the directory that new
 * conversations have: a session belongs to its directory.
 */
export function EarlierSessions() {
  const [view, setView] = useState<SessionsView | 'loading'>();
  const [problem, setProblem] = useState<string>();
  const load = async (event: { currentTarget: HTMLDetailsElement }) => {
    if (!event.currentTarget.open) return;
    setProblem(undefined);
    setView('loading');
    try {
      setView(await api.sessions(newChannel()));
    } catch (error) {
      setView(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const goOn = async (session: SessionView) => {
    const { backend, sessionId } = session;
    const next = newChannel();
    try {
      await api.resume(next, { backend, sessionId });
      channelsChanged();
      setProblem(undefined);
      // It is that conversation's now.
      setView((now) =>
        typeof now === 'object' ? { ...now, sessions: now.sessions.filter((one) => one !== session) } : now,
      );
      location.hash = printRoute({ type: 'conversation', channel: next });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <details class="earlier" onToggle={load}>
      <summary>Earlier sessions on this machine</summary>
      {problem !== undefined && <p class="failure">{problem}</p>}
      {view === 'loading' && <p class="sidebar-note">Loading …</p>}
      {typeof view === 'object' && (
        <>
          <p class="sidebar-note">of {view.cwd}</p>
          <ul class="channels">
            {view.sessions.map((session) => (
              <li key={`${session.backend} ${session.sessionId}`}>
                <button type="button" class="channel" onClick={() => goOn(session)}>
                  <span class="channel-title">{session.title || session.sessionId}</span>
                  <span class="channel-about">
                    {session.backend} · {timeInWords(session.updatedAt)}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {view.sessions.length === 0 && <p class="sidebar-note">There is none.</p>}
          {view.problems.map((text) => (
            <p class="sidebar-note">{text}</p>
          ))}
        </>
      )}
    </details>
  );
}
