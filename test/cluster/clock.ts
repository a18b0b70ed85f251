/** Loaded into a node before its own modules: its clock is wrong by `CLUSTER_CLOCK_MS`; the monotonic one is not. */
const wrongBy = Number(process.env['CLUSTER_CLOCK_MS'] ?? 0)

if (wrongBy !== 0) {
  const Right = Date
  globalThis.Date = new Proxy(Right, {
    construct: (target, args, made) =>
      Reflect.construct(target, args.length === 0 ? [Right.now() + wrongBy] : args, made) as object,
    apply: () => new Date().toString(),
    get: (target, key, self) =>
      key === 'now' ? () => Right.now() + wrongBy : (Reflect.get(target, key, self) as unknown),
  })
}
