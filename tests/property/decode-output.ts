import { claudeDecoder } from '../../src/backends/claude/decoder.js';
import { codexDecoder } from '../../src/backends/codex/decoder.js';
import { geminiDecoder } from '../../src/backends/gemini/decoder.js';
import type { VendorName } from '../../src/backends/names.js';
import { LineDecoder, type TurnFacts, type WireDecoder } from '../../src/backends/one-shot/decoder.js';
import { openCodeDecoder } from '../../src/backends/opencode/decoder.js';
import { type ChatEvent, errorEvent, type StepEvent } from '../../src/core/chat-event.js';
import { TurnLedger } from '../../src/core/turn-ledger.js';
import { LineSplitter } from '../../src/process/split-lines.js';

const decoders: Readonly<Record<VendorName, () => WireDecoder<TurnFacts>>> = {
  claude: () => claudeDecoder(0) as WireDecoder<TurnFacts>,
  codex: () => codexDecoder() as WireDecoder<TurnFacts>,
  gemini: () => geminiDecoder as WireDecoder<TurnFacts>,
  opencode: () => openCodeDecoder as WireDecoder<TurnFacts>,
};

/** Turns bytes into events, through all parts that a turn uses: splitter, decoder, ledger. */
export function decodeOutput(backend: VendorName, chunks: readonly Buffer[]): readonly ChatEvent[] {
  const splitter = new LineSplitter();
  const decoder = new LineDecoder(decoders[backend]());
  const ledger = new TurnLedger();
  const accept = (events: readonly StepEvent[]) => events.flatMap((event) => ledger.accept(event));
  const lines = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.flush()];
  const events = [...lines.flatMap((line) => accept(decoder.line(line.text))), ...accept(decoder.end())];
  const { ending } = decoder.state;
  const last =
    ending?.type === 'answered'
      ? ledger.complete(ending.stopReason, ending.text)
      : ledger.fail(errorEvent('unknown', ending?.message ?? 'no ending'));
  return [...events, ...last];
}
