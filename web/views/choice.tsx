import { useId } from 'preact/hooks';

interface Props<T extends string> {
  readonly legend: string;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
}

/** One of a few, side by side. */
export function Choice<T extends string>({ legend, options, value, onChoose }: Props<T>) {
  const name = useId();
  return (
    <fieldset class="view-choice">
      <legend class="hidden-visually">{legend}</legend>
      {options.map(([option, label]) => (
        <label key={option}>
          <input
            type="radio"
            class="hidden-visually"
            name={name}
            value={option}
            checked={option === value}
            onChange={() => onChoose(option)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
