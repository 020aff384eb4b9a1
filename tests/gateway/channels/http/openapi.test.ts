import { describe, expect, it } from 'vitest';
import { createLog } from '../../../../src/config/log.js';
import { openApiDocument } from '../../../../src/gateway/channels/http/openapi/openapi.js';
import { operations } from '../../../../src/gateway/channels/http/openapi/operations.js';
import { ownHosts } from '../../../../src/gateway/channels/http/own-hosts.js';
import { createApp } from '../../../../src/gateway/channels/http/routes.js';
import { MemoryGateway } from './fake-gateway.js';

describe('the OpenAPI document (16.2)', () => {
  it('has every route of the interface, and no other', () => {
    const app = createApp({
      gateway: new MemoryGateway(),
      token: 't',
      log: createLog('error', () => undefined),
      maxBodyBytes: 1,
      hosts: ownHosts('127.0.0.1'),
      maxRequestsPerMinute: 0,
      stopping: new AbortController().signal,
    });
    const served = app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
      // The files of the page are no interface.
      .filter((route) => /^\w+ \/(v1\/|healthz|readyz|metrics|openapi)/.test(route));
    const described = operations.map(({ method, path }) => `${method} ${path}`);
    expect(served.length).toBeGreaterThan(20);
    expect(described.toSorted()).toEqual(served.sort());
    expect(new Set(described).size).toBe(described.length);
  });

  it('is complete in itself', () => {
    const document = JSON.stringify(openApiDocument());
    const { components, openapi, servers } = JSON.parse(document);
    expect(openapi).toBe('3.1.0');
    const named = [...document.matchAll(/"\$ref":"([^"]+)"/g)].map(([, place = '']) => place);
    expect(named.length).toBeGreaterThan(50);
    for (const place of named) {
      expect(Object.keys(components.schemas)).toContain(place.replace('#/components/schemas/', ''));
    }
    expect(servers[0]).toMatchObject({ url: '/' });
    expect(components.schemas.ChannelStatus.required).toContain('waitingCount');
    expect(components.schemas.ChannelStatus).not.toHaveProperty('additionalProperties');
    expect(components.schemas.NewMessage.additionalProperties).toBe(false);
  });
});
