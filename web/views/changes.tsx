interface Props {
  readonly channel: string;
  readonly revision?: string | number | undefined;
  readonly panel?: boolean;
}

export function ChangesView({ channel }: Props) {
  return <p>Changes in {channel}</p>;
}
