<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** 401: the token is missing or wrong. */
class Unauthorized extends WamuxException
{
}
