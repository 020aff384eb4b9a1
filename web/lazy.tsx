import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A view that is loaded when it is first drawn. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [state, setState] = useState<'loading' | 'there' | 'failed'>(
      loaded === undefined ? 'loading' : 'there',
    );
    useEffect(() => {
      if (state !== 'loading') return;
      load().then(
        (component) => {
          loaded = component;
          setState('there');
        },
        () => setState('failed'),
      );
    }, [state]);
    if (state === 'failed') {
      return (
        <p class="empty" role="alert">
          This view could not be loaded.{' '}
          <button type="button" onClick={() => setState('loading')}>
            Try again
          </button>
        </p>
      );
    }
    const View = loaded;
    return View === undefined ? <p class="empty">Loading …</p> : <View {...props} />;
  };
}
