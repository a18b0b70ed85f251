/** Imports run one way: plugins → wamux/plugin; the kernel → nothing of plugins. */
module.exports = {
  forbidden: [
    {
      name: 'kernel-knows-no-plugin',
      severity: 'error',
      from: { path: '^kernel/' },
      to: { path: '^(plugins|test)/' },
    },
    {
      name: 'only-command-line-and-test-kit-compose',
      comment: 'Configuration imports plugins by name; the command line and the test kit compose a gateway, the template is not part of it.',
      severity: 'error',
      from: { path: '^kernel/', pathNot: '^kernel/(main\\.ts$|testing/|template/)' },
      to: { path: '^(config|migrations)/' },
    },
    {
      name: 'plugins-use-the-sdk',
      severity: 'error',
      from: { path: '^plugins/' },
      to: { path: '^(kernel|config|migrations|test)/', pathNot: '^kernel/plugin\\.ts$' },
    },
    {
      name: 'plugins-keep-to-their-folder',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/' },
      to: { path: '^plugins/', pathNot: '^plugins/$1/' },
    },
    {
      name: 'one-folder-runs-baileys',
      comment: 'Types of it are fine everywhere.',
      severity: 'error',
      from: { path: '^(kernel|config|plugins)/', pathNot: '^plugins/baileys/' },
      to: { path: 'node_modules/@whiskeysockets', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-circle',
      severity: 'error',
      from: { pathNot: '^kernel/types/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      conditionNames: ['wamux:source', 'import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
}
