export function ChangesView({ channel }: { readonly channel: string }) {
  return <p>Changes in {channel}</p>;
}
