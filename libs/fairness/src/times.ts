const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A day of the calendar, `2009-02-05`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

/** A moment in UTC with three decimals, `2009-02-05T12:00:00.000Z`; two of them compare as texts. */
export function isTime(text: string): boolean {
  const date = TIME.exec(text)?.[1];
  return date !== undefined && isDate(date);
}

/** Unix milliseconds of a moment as `isTime` knows it; anything else is a RangeError. */
export function millisecondsOf(time: string): number {
  if (!isTime(time)) throw new RangeError(`not a UTC time with three decimals: ${JSON.stringify(time.slice(0, 80))}`);
  const [year, month, day, hours, minutes, seconds, thousandths] = time.split(/[-T:.Z]/).map(Number) as Moment;
  const inDay = ((hours * 60 + minutes) * 60 + seconds) * 1_000 + thousandths;
  return (dayNumber(year, month, day) - UNIX_EPOCH_DAY) * 86_400_000 + inDay;
}

type Moment = [number, number, number, number, number, number, number];

/** Days of the Gregorian calendar since 0000-03-01: years begin in March, so that a leap day is the last of its year. */
function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month < 3 ? year - 1 : year;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return 365 * marchYear + leapDays + Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
}

const UNIX_EPOCH_DAY = dayNumber(1970, 1, 1);

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
