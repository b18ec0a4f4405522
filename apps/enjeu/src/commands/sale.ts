import { cents, formatEuros } from '#money';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { request, successOf } from '../request.ts';
import { findPlatform } from '../running-platform.ts';

/** Sends the operator's order to suspend or resume the sale of a game, and prints which stakes it changed. */
export async function sale([order, game]: readonly string[], options: Options): Promise<void> {
  if (order !== 'suspend' && order !== 'resume') {
    throw new Failure(`\`enjeu sale\` is followed by suspend or resume, not ${JSON.stringify(order)}`, 2);
  }
  const platform = findPlatform(options);
  const answer = await request(`${platform.serviceUrls['issuance']}/internal/v1/sales/${order}`, {
    method: 'POST',
    token: platform.serviceToken,
    body: order === 'suspend' ? { game, notice: noticeOf(options) } : { game },
  });
  const changed = (successOf(answer).changed as number[]).map((stakeCents) => formatEuros(cents(stakeCents)));
  const done = order === 'suspend' ? 'suspended' : 'resumed';
  console.log(changed.length > 0 ? `${game} ${done} at ${changed.join(', ')} EUR` : `${game} was ${done} already`);
}

function noticeOf(options: Options): { fr: string; en: string } | null {
  const { 'notice-fr': fr, 'notice-en': en } = options;
  if (fr === undefined && en === undefined) return null;
  if (!fr || !en) throw new Failure('a notice is given in both languages: --notice-fr and --notice-en', 2);
  return { fr, en };
}
