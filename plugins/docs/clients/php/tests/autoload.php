<?php

/** The classes of this package and of its dependencies: by Composer where it is installed, or else from Debian's packages. */

declare(strict_types=1);

$composer = __DIR__ . '/../vendor/autoload.php';
if (is_file($composer)) {
    require_once $composer;
} else {
    require_once 'GuzzleHttp/autoload.php';
}

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/../src/' . str_replace('\\', '/', substr($class, strlen('Wamux\\'))) . '.php';
    if (str_starts_with($class, 'Wamux\\') && is_file($file)) {
        require_once $file;
    }
});
