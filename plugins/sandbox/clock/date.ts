/** Replaces `Date` by one that is ahead of the machine's clock; returns a function that restores it. */
export function replaceDate(aheadMs: () => number): () => void {
  const own = globalThis.Date
  const now = (): number => own.now() + aheadMs()
  // A proxy rather than a subclass: existing dates stay instances of `Date`.
  const moved: DateConstructor = new Proxy(own, {
    construct: (date, args, target) =>
      Reflect.construct(date, args.length === 0 ? [now()] : args, target === moved ? date : target),
    apply: () => new own(now()).toString(),
    get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
  })
  globalThis.Date = moved
  return () => {
    if (globalThis.Date === moved) globalThis.Date = own
  }
}
