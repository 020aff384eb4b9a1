// A page and its script over Node's own http, and nothing else: what `npm run demo` is measured against.
import { createServer } from 'node:http';

const files = {
  '/': ['text/html', '<!doctype html><script src="/main.js"></script>'],
  '/main.js': ['text/javascript', 'document.title = "bare";'],
};

const server = createServer((request, response) => {
  const [type, body] = files[request.url] ?? ['text/plain', ''];
  response.writeHead(body === '' ? 404 : 200, { 'Content-Type': type }).end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`Open http://127.0.0.1:${server.address().port}/`));
