"""The observer: everything that is put in place while a program is watched, and taken away afterwards."""

from rushlight.doctor.observer.observer import Observer as Observer
