import { startScriptedModel } from '../src/lab/model/server.js';

// A model that answers at once, in a process of its own: in the benchmark's it would wait for the contender that reads.
const model = await startScriptedModel({ script: ['an answer at once'] });
console.log(model.url);
process.stdin.resume().on('end', () => void model.close());
