<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** 400, 405, 413, 415, 422: the text names the field. */
class InvalidRequest extends WamuxException
{
}
