import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChannelStatusView } from '../../src/gateway/channels/http/wire.js';
import { backends, refreshBackends } from '../backends.js';
import { useCell } from '../cell.js';

export interface SettingsPickerProps {
  readonly status: ChannelStatusView;
  /** Sends a command such as `/backend codex`. */
  readonly command: (text: string) => void;
}

const other = ' other';

/** Which CLI answers here, with which model, and how deep it thinks. A choice is a command in the conversation. */
export function SettingsPicker({ status, command }: SettingsPickerProps) {
  const known = useCell(backends);
  const [asksModel, setAsksModel] = useState(false);
  useEffect(() => {
    void refreshBackends();
  }, []);
  const present = known.find(({ name }) => name === status.backend);
  const choices =
    present === undefined
      ? [status.backend, ...known.map(({ name }) => name)]
      : known.map(({ name }) => name);
  const missing = new Set(known.filter(({ installed }) => !installed).map(({ name }) => name));
  const models = [
    ...new Set([...(status.model === undefined ? [] : [status.model]), ...(present?.models ?? [])]),
  ];
  const depths = present?.thinkingDepths.filter((depth) => depth !== 'tokens') ?? [];
  const depth = status.thinking ?? '';
  return (
    <div class="picker">
      <Choice
        label="Backend"
        value={status.backend}
        choices={choices.map((name) => ({
          value: name,
          text: missing.has(name) ? `${name} (not installed)` : name,
          disabled: missing.has(name) && name !== status.backend,
        }))}
        onOpen={refreshBackends}
        choose={(name) => command(`/backend ${name}`)}
      />
      {asksModel ? (
        <ModelField
          choose={(model) => {
            setAsksModel(false);
            if (model !== '') command(`/model ${model}`);
          }}
        />
      ) : (
        <Choice
          label="Model"
          value={status.model ?? ''}
          choices={[
            { value: '', text: 'Default model' },
            ...models.map((model) => ({ value: model, text: model })),
            { value: other, text: 'Other …' },
          ]}
          choose={(model) => (model === other ? setAsksModel(true) : command(`/model ${model || 'default'}`))}
        />
      )}
      {depths.length > 0 && (
        <Choice
          label="Thinking depth"
          value={depth}
          choices={[
            { value: '', text: 'Default thinking' },
            ...[...new Set([...depths, ...(depth === '' ? [] : [depth])])].map((value) => ({
              value,
              text: `Thinking: ${value}`,
            })),
          ]}
          choose={(value) => command(`/thinking ${value || 'default'}`)}
        />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly text: string; readonly disabled?: boolean }[];
  readonly choose: (value: string) => void;
  readonly onOpen?: () => void;
}

function Choice({ label, value, choices, choose, onOpen }: ChoiceProps) {
  return (
    <select
      class="picker-choice"
      aria-label={label}
      title={label}
      value={value}
      onPointerDown={onOpen}
      onFocus={onOpen}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        // What counts is what the gateway says next: a command may be refused.
        event.currentTarget.value = value;
        if (chosen !== value) choose(chosen);
      }}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} disabled={choice.disabled}>
          {choice.text}
        </option>
      ))}
    </select>
  );
}

function ModelField({ choose }: { readonly choose: (model: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <input
      ref={field}
      class="picker-choice"
      type="text"
      aria-label="Name of the model"
      placeholder="Name of the model"
      spellcheck={false}
      autocomplete="off"
      maxLength={200}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.stopPropagation();
        if (event.key === 'Escape') choose('');
        if (event.key === 'Enter') choose(event.currentTarget.value.trim());
      }}
      onBlur={() => choose('')}
    />
  );
}
