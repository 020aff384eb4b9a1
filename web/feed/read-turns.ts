import { api } from '../api.js';
import { addEvent, describeTurn, type Turn, unknownTurn } from './turn.js';

/** The turns that worked on a message, from the archive, or why they could not be read. */
export async function readTurns(eventId: string, signal?: AbortSignal): Promise<readonly Turn[] | string> {
  try {
    const { turns } = await api.turns(eventId, signal);
    return turns.map(({ events, ...view }) =>
      describeTurn(
        events.reduce((turn, event) => addEvent(turn, event), unknownTurn(view.turnId)),
        view,
      ),
    );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
