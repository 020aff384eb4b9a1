import { expect, it } from 'vitest';
import { pageUrl } from '../../../src/gateway/page-url.js';

it.each([
  ['127.0.0.1', 'abc', 'http://127.0.0.1:8420/#token=abc'],
  ['::1', 'abc', 'http://[::1]:8420/#token=abc'],
  ['0.0.0.0', 'abc', 'http://127.0.0.1:8420/#token=abc'],
  ['::', 'abc', 'http://[::1]:8420/#token=abc'],
  ['10.0.0.7', 'a#b&c/d e', 'http://10.0.0.7:8420/#token=a%23b%26c%2Fd%20e'],
  ['127.0.0.1', undefined, 'http://127.0.0.1:8420/'],
])('the page of a gateway at %s with the token %s (16.6)', (host, token, url) => {
  expect(pageUrl({ host, port: 8420 }, token)).toBe(url);
  if (token === undefined) return;
  expect(new URLSearchParams(new URL(url).hash.slice(1)).get('token')).toBe(token);
});
