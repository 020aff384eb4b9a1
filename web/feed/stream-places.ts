/**
 * A browser opens at most six connections to a gateway (HTTP/1.1), for all its tabs together: a stream in each of six hidden
 * tabs would leave nothing for the one that is looked at. So many hidden ones may have a stream; it tells them of questions.
 */
const placesForHidden = 3;

/** Takes one of the places, if one is free, and returns how to leave it. Where there are no locks, there is no limit. */
export async function takeStreamPlace(): Promise<(() => void) | undefined> {
  if (!('locks' in navigator)) return () => undefined;
  for (let place = 1; place <= placesForHidden; place += 1) {
    const leave = await tryLock(`turnout stream ${place}`);
    if (leave !== undefined) return leave;
  }
  return undefined;
}

function tryLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      // It is held until this promise is settled.
      return new Promise<void>((leave) => resolve(leave));
    });
  });
}
