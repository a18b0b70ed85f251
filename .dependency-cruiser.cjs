/** Folders of the driver by the direction of the data: none imports one of an earlier line, or another of its own line's. */
const DRIVER_LAYERS = [
  ['receive', 'send', 'media'],
  ['signal', 'journal'],
  ['store', 'socket', 'app-state', 'pairing', 'web-version'],
  ['network'],
  ['protocol'],
  ['patches'],
]

/** Imports run one way: plugins → wamux/plugin; the kernel → nothing of plugins or config. */
module.exports = {
  forbidden: [
    {
      name: 'kernel-stands-alone',
      severity: 'error',
      from: { path: '^kernel/' },
      to: { path: '^(plugins|config|migrations|test)/' },
    },
    {
      name: 'plugins-use-the-sdk',
      severity: 'error',
      from: { path: '^plugins/', pathNot: '^plugins/([^/]+/web|sandbox/testing|docs/(clients|site))/' },
      to: { path: '^(kernel|config|migrations|test)/', pathNot: '^kernel/plugin\\.ts$' },
    },
    {
      name: 'the-test-kit-uses-entries',
      severity: 'error',
      from: { path: '^plugins/sandbox/testing/' },
      to: { path: '^(kernel|config|migrations|test)/', pathNot: '^(kernel/plugin|config/(index|kit))\\.ts$' },
    },
    {
      name: 'pages-use-the-client',
      comment: 'They run in browsers, and know the interface alone.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/web/' },
      to: {
        path: '^(kernel|config|migrations|test|plugins)/',
        pathNot: '^plugins/($1|docs/clients/typescript|dashboard/web)/',
      },
    },
    {
      name: 'plugins-keep-to-their-folder',
      comment:
        'But for what they share: wamux/messaging, wamux/outputs of those that are outputs, and the texts and parts of pages.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/' },
      to: {
        path: '^plugins/',
        pathNot:
          '^plugins/($1/|messaging/index\\.ts$|outputs/index\\.ts$|dashboard/web/(i18n\\.ts$|parts/|style/)|docs/clients/typescript/)',
      },
    },
    {
      name: 'one-module-imports-baileys',
      comment: 'It applies the patches first. Types are fine everywhere.',
      severity: 'error',
      from: { path: '^(kernel|config|plugins)/', pathNot: '^plugins/baileys/baileys\\.ts$' },
      to: { path: 'node_modules/@whiskeysockets', dependencyTypesNot: ['type-only'] },
    },
    ...DRIVER_LAYERS.flatMap((layer, index) =>
      layer.map((folder) => ({
        name: `driver-${folder}`,
        comment:
          'link → receive, send, media → signal, journal → store, socket, app-state, pairing, web-version → network → protocol → patches',
        severity: 'error',
        from: { path: `^plugins/baileys/${folder}/` },
        to: {
          path: `^plugins/baileys/(${[...DRIVER_LAYERS.slice(0, index).flat(), ...layer.filter((other) => other !== folder)].join('|')})/|^plugins/baileys/(link|lifecycle|driver|index)\\.ts$`,
        },
      })),
    ),
    {
      name: 'no-circle',
      comment: 'Types included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // config/deploy has code of a panel, with that panel's imports.
    exclude: { path: ['/dist/', '^config/deploy/'] },
    enhancedResolveOptions: {
      conditionNames: ['wamux:source', 'import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
}
