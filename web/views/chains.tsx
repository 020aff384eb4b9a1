import { ChainRunDetails } from './chain-run.js';
import { ChainRunList } from './chain-run-list.js';
import './view.css';
import './chains.css';

/** The runs of chains on this machine, or one of them. */
export function ChainsView({ runId }: { readonly runId?: string | undefined }) {
  return runId === undefined ? <ChainRunList /> : <ChainRunDetails key={runId} runId={runId} />;
}
