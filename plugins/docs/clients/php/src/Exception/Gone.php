<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** 410: it is no longer stored, for example events beyond the retention. */
class Gone extends WamuxException
{
}
