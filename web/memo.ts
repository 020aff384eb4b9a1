import { Component, type ComponentType, createElement, type FunctionComponent } from 'preact';

/** A component that is drawn again only if one of its properties is another value. */
export function memo<Props extends object>(view: FunctionComponent<Props>): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !sameFields(this.props, next);
    }

    // The view is a component of its own, for it may use hooks.
    override render() {
      return createElement(view, this.props as Props);
    }
  };
}

function sameFields(one: object, other: object): boolean {
  const names = Object.keys(one) as (keyof typeof one)[];
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.is(one[name], other[name]))
  );
}
