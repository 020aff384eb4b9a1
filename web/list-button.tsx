/** Opens the list of conversations, which is out of sight on a phone; elsewhere it is beside the view. */
export function ListButton({ open }: { readonly open: () => void }) {
  return (
    <button type="button" class="plain head-menu" aria-label="Open the list of conversations" onClick={open}>
      ☰
    </button>
  );
}
