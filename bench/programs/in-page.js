// Runs in the pages that are measured, before their own scripts: the page's own clock knows nothing of the automation.
// Plain JavaScript, because the loader for TypeScript adds a helper to functions that pages do not have.
globalThis.measure = {
  /** Resolves with the time from the next click to the moment when the last answer holds the character, in ms. */
  fromClickTo(character) {
    let clicked;
    addEventListener('click', ({ timeStamp }) => (clicked = timeStamp), { capture: true, once: true });
    globalThis.measure.took = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        const answer = [...document.querySelectorAll('article')].at(-1);
        if (!answer?.textContent.includes(character)) return;
        observer.disconnect();
        resolve(performance.now() - clicked);
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  },

  /** Returns a function that gives the longest time that a frame took so far, in ms. */
  watchFrames() {
    let longest = 0;
    let before = performance.now();
    let frame = requestAnimationFrame(function look(now) {
      longest = Math.max(longest, now - before);
      before = now;
      frame = requestAnimationFrame(look);
    });
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    });
    observer.observe({ type: 'long-animation-frame' });
    globalThis.measure.longestFrame = () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      return longest;
    };
  },
};
