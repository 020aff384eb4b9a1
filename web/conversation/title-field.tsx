import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api.js';
import { channelsChanged } from '../channels.js';

export interface TitleFieldProps {
  readonly channel: string;
  readonly title: string;
  readonly close: () => void;
}

/** The conversation's title, to be changed: Enter keeps it, Escape does not. Without any words it is the first ones again. */
export function TitleField({ channel, title, close }: TitleFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const done = useRef(false);
  useEffect(() => field.current?.select(), []);
  const save = async () => {
    const words = field.current?.value.replace(/\s+/g, ' ').trim() ?? '';
    if (done.current) return;
    if (words === title) return close();
    done.current = true;
    try {
      await api.changeChannel(channel, { title: words === '' ? null : words });
      channelsChanged();
      close();
    } catch (error) {
      done.current = false;
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <input
        ref={field}
        class="head-rename"
        type="text"
        aria-label="Title"
        placeholder="Its first words"
        maxLength={200}
        defaultValue={title}
        autocomplete="off"
        onKeyDown={(event) => {
          if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
          event.preventDefault();
          event.stopPropagation();
          if (event.key === 'Enter') return void save();
          done.current = true;
          close();
        }}
        onBlur={save}
      />
      {problem !== undefined && (
        <span class="head-problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
