import type { PipeTransform } from '@nestjs/common';
import { badRequest } from '#service';

/** What a list goes on with: opaque to clients, and no other list's. @param list its name @param at where the next page begins */
export function cursorOf(list: string, at: number | null): string | null {
  return at === null ? null : Buffer.from(`${list} ${at}`).toString('base64url');
}

/** `@Query('cursor', new CursorPipe('plays'))`: where the page begins, null for the first; else 400 `bad-request`. */
export class CursorPipe implements PipeTransform<unknown, number | null> {
  constructor(private readonly list: string) {}

  transform(value: unknown): number | null {
    if (value === undefined) return null;
    const text = typeof value === 'string' && value.length <= 64 ? Buffer.from(value, 'base64url').toString() : '';
    const [list, at = ''] = text.split(' ');
    if (list === this.list && /^\d{1,15}$/.test(at) && cursorOf(list, Number(at)) === value) return Number(at);
    throw cursorUnknown();
  }
}

export function cursorUnknown(): Error {
  return badRequest('The parameter cursor must be the `next` of the page before.');
}
