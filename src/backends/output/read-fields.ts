import { isObject, type JsonObject } from './json.js';

// A CLI's output is read leniently: a field of another type counts as absent.

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
