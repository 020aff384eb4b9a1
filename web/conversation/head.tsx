import { useState } from 'preact/hooks';
import { askForNotifications, notifications } from '../attention.js';
import { useCell } from '../cell.js';
import type { ConversationStore } from '../feed/conversation-store.js';
import { titleInWords } from '../in-words.js';
import { ListButton } from '../list-button.js';
import { printRoute } from '../routes.js';
import { useEscape } from '../use-escape.js';
import { contextInWords, contextUsed } from './context-used.js';
import { ConversationMenu } from './conversation-menu.js';
import { outgoingOf } from './outgoing.js';
import { modeInWords } from './permission-words.js';
import { SettingsPicker } from './settings-picker.js';
import { TitleField } from './title-field.js';

export interface HeadProps {
  readonly store: ConversationStore;
  readonly openList: () => void;
  /** True if the changes are shown beside the conversation. */
  readonly changes: boolean;
}

export function Head({ store, openList, changes }: HeadProps) {
  const { status, turns, messages } = useCell(store.state);
  const connection = useCell(store.connection);
  const mayNotify = useCell(notifications);
  const [settings, setSettings] = useState(false);
  const [renames, setRenames] = useState(false);
  useEscape(settings, () => setSettings(false));
  const outgoing = outgoingOf(store.channel);
  const context = contextUsed(status, turns);
  const { channel } = store;
  const title = titleInWords({ title: status?.title ?? channel, channel });
  return (
    <header class="head">
      <ListButton open={openList} />
      <div class="head-title">
        {renames ? (
          <TitleField channel={channel} title={title} close={() => setRenames(false)} />
        ) : (
          <h1>{title}</h1>
        )}
        <p title={status && `${modeInWords(status.permissionMode)} · ${status.cwd}`}>
          {connection === 'lost' ? (
            <b role="status">Reconnecting …</b>
          ) : (
            status !== undefined && (
              <>
                <span class={status.permissionMode === 'bypass' ? 'head-mode head-mode-bypass' : 'head-mode'}>
                  {modeInWords(status.permissionMode)}
                </span>{' '}
                · {status.cwd}
              </>
            )
          )}
        </p>
      </div>
      {status !== undefined && messages.length > 0 && (
        <ConversationMenu
          channel={channel}
          archived={status.archived}
          busy={status.running !== undefined || status.waitingCount > 0}
          rename={() => setRenames(true)}
        />
      )}
      <a class="button small" href={printRoute({ type: changes ? 'conversation' : 'changes', channel })}>
        {changes ? 'Close changes' : 'Changes'}
      </a>
      <button
        type="button"
        class="small head-settings"
        aria-expanded={settings}
        aria-controls="settings"
        onClick={() => setSettings(!settings)}
      >
        {status?.backend ?? 'Settings'} ▾
      </button>
      <div id="settings" class={settings ? 'settings settings-open' : 'settings'}>
        {context !== undefined && (
          <span class="head-usage" title="What the agent's context holds">
            {contextInWords(context)}
          </span>
        )}
        {status !== undefined && <SettingsPicker status={status} command={(text) => outgoing.send(text)} />}
        {mayNotify === 'ask' && (
          <button type="button" class="small" onClick={askForNotifications}>
            Notify me
          </button>
        )}
      </div>
    </header>
  );
}
