<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** 429: see `retryAfter`. */
class TooManyRequests extends WamuxException
{
}
